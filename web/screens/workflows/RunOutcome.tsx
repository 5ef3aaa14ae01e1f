import type { Run } from '../../../domain/run.ts';
import { Problem } from '../../components/ErrorNote.tsx';
import { Value } from '../../components/Value.tsx';

/** What the whole came to, once it has ended. */
export function RunOutcome({ run: { status, output, error } }: { run: Run }) {
  if (error)
    return (
      <div className="border-b border-line px-6 py-4 max-sm:px-4">
        <Problem title="The run failed" code={error.code} message={error.message} />
      </div>
    );
  if (status !== 'completed' || output === null) return null;
  return (
    <details className="border-b border-line px-6 py-3 max-sm:px-4">
      <summary className="cursor-pointer font-medium">Output of the run</summary>
      <div className="pt-3">
        <Value value={output} label="Output of the run" />
      </div>
    </details>
  );
}
