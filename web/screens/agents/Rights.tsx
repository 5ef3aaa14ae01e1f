import { rightLines, withRight } from '../../agent-operations.ts';
import { rightsInWords } from '../../agent-words.ts';
import { Chips } from '../../components/Chips.tsx';
import { Folders } from './Folders.tsx';
import { FormSection, Part } from './FormSection.tsx';
import { MARKED, useForm } from './form.ts';
import { NotebookChoice } from './NotebookChoice.tsx';
import { Probe } from './Probe.tsx';

export function Rights() {
  const { draft } = useForm();
  return (
    <FormSection
      id="rights"
      about="What it may touch and what it may do there. Nothing is allowed unless notebook, right, folder and file type all allow it."
      after={<Probe />}
    >
      <p className="rounded-md bg-canvas px-3 py-2">{rightsInWords(draft).join(' ')}</p>
      <NotebookChoice />
      <Operations />
      <Folders />
      <FileTypes />
    </FormSection>
  );
}

function Operations() {
  const { draft, change, errorOf, marks } = useForm();
  return (
    <Part title="Rights">
      <ul aria-label="Rights" className="divide-y divide-line rounded-md border border-line">
        {rightLines(draft).map((right) => (
          <li key={right.flag} className={marks.operation === right.operation && right.operation ? MARKED : ''}>
            <label className="grid min-h-9 grid-cols-[1rem_6.5rem_1fr] items-center gap-x-3 px-3 py-1.5 has-enabled:cursor-pointer has-enabled:hover:bg-hover max-sm:grid-cols-[1rem_1fr] pointer-coarse:min-h-11">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={right.may}
                onChange={({ target }) => change(withRight(draft, right, target.checked))}
              />
              <span className="font-medium">{right.name}</span>
              <span className="text-soft max-sm:col-start-2">
                {right.means}
                {right.isTakenBack && (
                  <span className="text-waits"> (its scope leaves this operation out; ticking adds it)</span>
                )}
              </span>
            </label>
          </li>
        ))}
      </ul>
      {errorOf('scope.operations') && <p className="text-small text-failed">{errorOf('scope.operations')}</p>}
    </Part>
  );
}

function FileTypes() {
  const { draft, change, errorOf, disabled, marks } = useForm();
  const { file_types } = draft.scope;
  return (
    <Part
      title="File types"
      hint={
        file_types === undefined
          ? 'Every type. Add an ending (md), a whole name (Makefile) or a pattern (*.{md,txt}), and only those are touched.'
          : file_types.length === 0
            ? 'None: it may touch no file at all.'
            : 'Only these: endings (md), whole names (Makefile) or patterns (*.{md,txt}).'
      }
      className={marks.file_types === 'list' ? MARKED : ''}
    >
      <Chips
        label="File types"
        add="Add a file type"
        placeholder="*.md"
        error={errorOf('scope.file_types')}
        values={file_types ?? []}
        marked={typeof marks.file_types === 'number' ? marks.file_types : null}
        disabled={disabled}
        onChange={(values) =>
          change({ scope: { ...draft.scope, file_types: values.length === 0 ? undefined : values } })
        }
      />
    </Part>
  );
}
