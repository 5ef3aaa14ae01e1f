import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { ContextRow } from '../../../domain/session.ts';
import { dispatchApi, type Question } from '../../dispatch-api.ts';
import { type Choice, type Outcome, outcomeOf, type Told } from '../../dispatching.ts';
import { newKey } from '../../http.ts';
import { useStartChat } from './start-chat.ts';

export interface Asked {
  content: string;
  workspace_id: string;
  notebook_id: string | undefined;
  rows: ContextRow[];
  /** Puts the words back into the field. */
  giveBack: () => void;
}

/** What stands on the page after a decision that did not lead to a conversation. */
export type Shown =
  | Exclude<Outcome, { kind: 'chat' | 'plan' }>
  | { kind: 'run'; run_id: string; told: Told }
  | { kind: 'refused'; told: Told; why: string };

const questionOf = ({ content, workspace_id, notebook_id, rows }: Asked): Question => ({
  query: content,
  workspace_id,
  notebook_id,
  attachments: rows.map(({ path }) => ({ name: path })),
});

const isOneAgent = ({ chosen: { tools, agents } }: Choice): boolean => tools.length === 0 && agents.length === 1;

/** Asks whom a question is for, and goes on with it: at once where that is clear, else with what a person chooses. */
export function useDispatch() {
  const [asked, setAsked] = useState<Asked | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  // Sent again after a failure it is the same to the server, which may have begun it.
  const last = useRef({ asked: '', key: '' });
  const start = useStartChat();

  const talk = async (question: Asked, agent_id: string, dispatched: Told): Promise<null> => {
    const { content, notebook_id, rows } = question;
    const key = `${last.current.key}-${agent_id}`;
    await start.mutateAsync({ agent_id, notebook_id, context_rows: notebook_id ? rows : [], content, key, dispatched });
    return null;
  };

  const decide = useMutation({
    mutationFn: async (question: Asked): Promise<Shown | null> => {
      const sent = questionOf(question);
      if (last.current.asked !== JSON.stringify(sent)) last.current = { asked: JSON.stringify(sent), key: newKey() };
      const { key } = last.current;
      const outcome = outcomeOf(await dispatchApi.ask(sent, `${key}-decide`));
      if (outcome.kind === 'chat') return talk(question, outcome.agent_id, outcome.told);
      if (outcome.kind !== 'plan') return outcome;
      const { plan: execution_plan } = outcome;
      const done = await dispatchApi.ask({ ...sent, execution_plan, execute: true }, `${key}-execute`);
      if (done.run_id !== null) return { kind: 'run', run_id: done.run_id, told: outcome.told };
      return { kind: 'refused', told: outcome.told, why: done.not_executed ?? '' };
    },
    onSuccess: (next) => {
      last.current = { asked: '', key: newKey() };
      setShown(next);
    },
  });

  const choose = useMutation({
    mutationFn: async ({ question, choice }: { question: Asked; choice: Choice }): Promise<Shown | null> => {
      const { title, reason, confidence, chosen } = choice;
      const told: Told = { title, reasoning: reason, confidence, by: 'you' };
      const [agent] = chosen.agents;
      if (agent !== undefined && isOneAgent(choice)) return talk(question, agent, told);
      const key = `${last.current.key}-${[...chosen.tools, ...chosen.agents].join('-').slice(0, 100)}`;
      const done = await dispatchApi.ask({ ...questionOf(question), chosen, execute: true }, key);
      if (done.run_id !== null) return { kind: 'run', run_id: done.run_id, told };
      return { kind: 'refused', told, why: done.not_executed ?? '' };
    },
    onSuccess: setShown,
  });

  const close = (): void => {
    setAsked(null);
    setShown(null);
    decide.reset();
    choose.reset();
  };

  return {
    asked,
    shown,
    isAsking: decide.isPending,
    isChoosing: choose.isPending,
    chosen: choose.variables?.choice ?? null,
    error: decide.error ?? choose.error,
    ask: (question: Asked): void => {
      setAsked(question);
      setShown(null);
      choose.reset();
      decide.mutate(question, {
        onError: () => {
          setAsked(null);
          question.giveBack();
        },
      });
    },
    choose: (choice: Choice): void => {
      if (asked && !choose.isPending) choose.mutate({ question: asked, choice });
    },
    /** Back to the beginning, with the words to change or to send to somebody else. */
    takeBack: (): void => {
      close();
      asked?.giveBack();
    },
    close,
  };
}
