import { toolLines } from '../../agent-tools.ts';
import { Select } from '../../components/Fields.tsx';
import { FormSection } from './FormSection.tsx';
import { useForm } from './form.ts';

const DEFAULT_WORDS = 'Default: asks, except in git checkouts';
const WORDS = { always: 'Asks every time', first_time: 'Asks the first time in a run', never: 'Never asks' } as const;
type Policy = keyof typeof WORDS;
const isPolicy = (text: string): text is Policy => text in WORDS;

export function Confirmations() {
  const { draft, change, errorOf } = useForm();
  const lines = toolLines(draft);
  const set = (tool: string, value: string): void => {
    const { [tool]: _, ...others } = draft.confirmation;
    change({ confirmation: isPolicy(value) ? { ...others, [tool]: value } : others });
  };
  return (
    <FormSection
      id="confirmations"
      about="Before it changes something a person sees what would change, and allows or denies it. Unless said otherwise it asks in folders, where a change is final, and not in git checkouts, where it can be looked at later."
    >
      {lines.length === 0 ? (
        <p className="text-faint">It may change nothing, so there is nothing to ask about.</p>
      ) : (
        <ul aria-label="What it asks first" className="divide-y divide-line rounded-md border border-line">
          {lines.map(({ name, does, policy, isIdle }) => (
            <li key={name} className="flex items-center gap-x-4 gap-y-2 px-3 py-2 max-sm:flex-col max-sm:items-stretch">
              <span className="min-w-0 flex-1">
                <span className="block">
                  {does}
                  {isIdle && <span className="text-faint"> (it may not do this anyway)</span>}
                </span>
                <span className="font-mono text-small text-faint">{name}</span>
              </span>
              <span className="w-80 max-w-full max-sm:w-full">
                <Select
                  label={`Confirmation of ${name}`}
                  hideLabel
                  value={policy ?? ''}
                  onChange={({ target }) => set(name, target.value)}
                >
                  <option value="">{DEFAULT_WORDS}</option>
                  {Object.entries(WORDS).map(([value, words]) => (
                    <option key={value} value={value}>
                      {words}
                    </option>
                  ))}
                </Select>
              </span>
            </li>
          ))}
        </ul>
      )}
      {errorOf('confirmation') && <p className="text-small text-failed">{errorOf('confirmation')}</p>}
    </FormSection>
  );
}
