import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { AuditLine } from '../../../domain/audit.ts';
import { Copyable } from '../../components/Copyable.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { Value } from '../../components/Value.tsx';
import { duration, exactly, shortId } from '../../format.ts';
import { Outcome } from './Outcome.tsx';

/** Input and output are JSON where they were more than a text; cut off they are no longer. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="contents">
    <dt className="text-faint">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </div>
);

export function LineDetail({ line, onClose }: { line: AuditLine; onClose: () => void }) {
  const { run_id, step_number, target, input, output } = line;
  const step = step_number === null ? '' : `?step=${step_number}`;
  return (
    <Modal open onOpenChange={(open) => !open && onClose()} title={line.action}>
      <div className="flex flex-col gap-4">
        <dl className="grid grid-cols-[minmax(4rem,auto)_1fr] gap-x-4 gap-y-1.5">
          <Fact name="Outcome">
            <Outcome wasAllowed={line.was_allowed} />
          </Fact>
          <Fact name="When">{exactly(line.created_at)}</Fact>
          <Fact name="Who">{line.user_name}</Fact>
          {line.agent_name && <Fact name="Agent">{line.agent_name}</Fact>}
          {target && (
            <Fact name="Target">
              <Copyable text={target} label="target" />
            </Fact>
          )}
          {line.execution_time_ms !== null && <Fact name="Took">{duration(line.execution_time_ms)}</Fact>}
          {run_id && (
            <Fact name="Run">
              <Link to={`/runs/${encodeURIComponent(run_id)}${step}`} className="text-accent-ink hover:underline">
                {step_number === null ? `Open run ${shortId(run_id)}` : `Step ${step_number} of ${shortId(run_id)}`}
              </Link>
            </Fact>
          )}
          <Fact name="Line">
            <Copyable text={line.id} label="id of the line" />
          </Fact>
        </dl>
        {input !== null && (
          <section aria-label="Input" className="flex flex-col gap-1.5">
            <h3 className="font-medium">Input</h3>
            <Value value={parsed(input)} label="Input" />
          </section>
        )}
        {output !== null && (
          <section aria-label="Output" className="flex flex-col gap-1.5">
            <h3 className="font-medium">Output</h3>
            <Value value={parsed(output)} label="Output" />
          </section>
        )}
      </div>
    </Modal>
  );
}
