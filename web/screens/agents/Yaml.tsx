import { useQuery } from '@tanstack/react-query';
import { Check, Copy, Download } from 'lucide-react';
import { useState } from 'react';
import { agentsApi } from '../../agents-api.ts';
import { Button } from '../../components/Button.tsx';
import { copy } from '../../components/Copyable.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { Block } from '../../components/Value.tsx';
import { download } from '../../download.ts';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';

interface Props {
  slug: string;
  version: number;
  isChanged: boolean;
}

/** The agent as a file to keep, to review and to take elsewhere. */
export function Yaml({ slug, version, isChanged }: Props) {
  const { agentId } = useForm();
  const [isShown, setIsShown] = useState(false);
  return (
    <FormSection
      id="yaml"
      about={`The agent as a file, to keep beside the code or take to another installation. Credentials are never in it.${isChanged ? ' It is the agent as it was saved last, without the changes you are making.' : ''}`}
      after={
        agentId &&
        (isShown ? (
          <Shown agentId={agentId} slug={slug} version={version} />
        ) : (
          <Button className="self-start" onClick={() => setIsShown(true)}>
            Show YAML
          </Button>
        ))
      }
    >
      {agentId === null ? <p className="text-faint">Create the agent first.</p> : null}
    </FormSection>
  );
}

function Shown({ agentId, slug, version }: { agentId: string; slug: string; version: number }) {
  const [copied, setCopied] = useState(false);
  const yaml = useQuery({
    queryKey: ['agent-yaml', agentId, version],
    queryFn: () => agentsApi.exported(agentId),
  });
  if (yaml.error && !yaml.data) return <ErrorNote title="The YAML could not be read" error={yaml.error} />;
  const text = yaml.data;
  if (text === undefined) return <Skeleton className="h-40 w-full" />;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex gap-2">
        <Button
          onClick={async () => {
            await copy(text);
            setCopied(true);
            window.setTimeout(() => setCopied(false), 1500);
          }}
        >
          {copied ? <Check aria-hidden size={14} className="text-done" /> : <Copy aria-hidden size={14} />}
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button onClick={() => download(`${slug}.agent.yaml`, text, 'text/yaml')}>
          <Download aria-hidden size={14} /> Download
        </Button>
      </div>
      <Block text={text} label="Agent as YAML" />
    </div>
  );
}
