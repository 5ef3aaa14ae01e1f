import { Hand, MessageCircle, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { hasOwnPurpose } from '../../../domain/usual-agent.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { DemoLabel } from '../../components/ModelName.tsx';
import { isDemo } from '../../format.ts';
import { newKey } from '../../http.ts';
import { useAgents, useNotebooks } from '../../queries.ts';
import { useStartChat } from '../chat/start-chat.ts';
import { notebookFor, useStartRun } from '../frame/composer.ts';

const THINGS = [
  {
    icon: MessageCircle,
    name: 'Ask',
    isChat: true,
    input: 'How many open points are in this notebook?',
    text: 'The agent lists the files, reads them and answers. You watch every step as it happens, and ask on.',
  },
  {
    icon: Hand,
    name: 'Approve',
    isChat: true,
    input: 'Summarize the experiments into drafts/summary.md',
    text: 'The agent wants to write a file. It shows you the change and waits, for as long as you take.',
  },
  {
    icon: RotateCw,
    name: 'Kill the worker',
    isChat: false,
    input: 'Work through every file, one at a time',
    text: 'A longer run. While it works, kill -9 its worker: its process id stands under worker-1 in processes.json, in the data folder. Another one takes over, and the run goes on where it was.',
  },
];

/** One click each, on the sample notebook with the demo model: a chat where one talks, a run where one watches. */
export function ThingsToTry({ isNew }: { isNew: boolean }) {
  const { data: agents, isPending } = useAgents();
  const { data: notebooks } = useNotebooks();
  const [chosen, setChosen] = useState<string | null>(null);
  const startRun = useStartRun();
  const startChat = useStartChat();
  const isStarting = startRun.isPending || startChat.isPending;
  const error = startRun.error ?? startChat.error;
  const agent = agents?.find((each) => each.is_active && isDemo(each.model) && !hasOwnPurpose(each));
  const notebook = notebookFor(agent, notebooks ?? []);
  if (!isNew && !agent) return null;

  return (
    <section className="flex flex-col gap-3">
      <h2 className="flex flex-wrap items-center gap-x-3 gap-y-1 font-semibold">
        Three things to try <DemoLabel />
      </h2>
      {!isPending && !agent && (
        <p className="text-soft">
          There is no agent with the demo model in this workspace. Start a run with one of your own agents instead.
        </p>
      )}
      <ul className="grid grid-cols-3 gap-4 max-lg:grid-cols-1">
        {THINGS.map(({ icon: Icon, name, isChat, input, text }) => (
          <li key={name} className="flex flex-col gap-2 rounded-lg border border-line p-4">
            <h3 className="flex items-center gap-2 font-semibold">
              <Icon aria-hidden size={16} className="text-accent-ink" /> {name}
            </h3>
            <p className="text-soft">{text}</p>
            <p className="rounded-md bg-canvas px-2.5 py-1.5 font-mono text-small text-soft">{input}</p>
            <Button
              aria-label={`Try it: ${name}`}
              className="mt-auto self-start"
              busy={isStarting && chosen === name}
              // Clicked before the notebooks are known it would start without one.
              disabled={!agent || !notebooks || isStarting}
              onClick={() => {
                if (!agent) return;
                setChosen(name);
                const place = { agent_id: agent.id, notebook_id: notebook?.id, key: newKey() };
                if (isChat) startChat.mutate({ ...place, content: input });
                else startRun.mutate({ ...place, input });
              }}
            >
              Try it
            </Button>
          </li>
        ))}
      </ul>
      {error && <ErrorNote title="It was not started" error={error} />}
    </section>
  );
}
