import { type ReactNode, useEffect, useRef, useState } from 'react';
import { errorIn } from '../../agent-draft.ts';
import { Contents } from '../../components/Contents.tsx';
import { type Marks, NO_MARKS } from '../../probe-words.ts';
import { Confirmations } from './Confirmations.tsx';
import { Credentials } from './Credentials.tsx';
import { Delegation } from './Delegation.tsx';
import { FormContext, type FormState, SECTIONS } from './form.ts';
import { HistorySection } from './HistorySection.tsx';
import { Identity } from './Identity.tsx';
import { Instructions } from './Instructions.tsx';
import { KnowledgeSection } from './KnowledgeSection.tsx';
import { Limits } from './Limits.tsx';
import { McpSection } from './McpSection.tsx';
import { ModelSection } from './ModelSection.tsx';
import { Rights } from './Rights.tsx';
import type { Drafting } from './saving.ts';
import { ToolsSection } from './ToolsSection.tsx';
import { Yaml } from './Yaml.tsx';

interface Props {
  drafting: Drafting;
  agentId: string | null;
  version: number;
  errors: Readonly<Record<string, string>>;
  disabled: boolean;
  /** Why it cannot be changed, what went wrong, who else changed it. */
  notes: ReactNode;
  onSubmit: () => void;
}

const GROUPS = [{ sections: SECTIONS }];

/** All that can be said of an agent, in sections. */
export function AgentForm({ drafting, agentId, version, errors, disabled, notes, onSubmit }: Props) {
  const { draft, change, isChanged } = drafting;
  const [marks, setMarks] = useState<Marks>(NO_MARKS);
  const form = useRef<HTMLFormElement>(null);
  const errorOf = (name: string): string | undefined => errorIn(errors, name);
  const state: FormState = { draft, change, errorOf, disabled, agentId, marks, setMarks };
  useEffect(() => {
    if (Object.keys(errors).length === 0) return;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [errors]);
  return (
    <FormContext value={state}>
      <div className="mx-auto flex max-w-6xl gap-8 px-6 max-sm:px-4">
        <Contents groups={GROUPS} />
        <form
          ref={form}
          // The server has the last word, and says it at the field.
          noValidate
          className="flex min-w-0 max-w-4xl flex-1 flex-col"
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {notes}
          <div className="flex flex-col divide-y divide-line">
            <Identity />
            <ModelSection />
            <Instructions />
            <Rights />
            <ToolsSection />
            <Confirmations />
            <Limits />
            <Delegation />
            <KnowledgeSection />
            <McpSection />
            <Credentials />
            <Yaml slug={drafting.base.slug} version={version} isChanged={isChanged} />
            <HistorySection version={version} isChanged={isChanged} />
          </div>
          {/* Enter in a field saves, as in any form; the button people see is at the top of the page. */}
          <button type="submit" hidden />
        </form>
      </div>
    </FormContext>
  );
}
