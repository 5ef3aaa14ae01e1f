import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../components/Button.tsx';
import { TextField } from '../../components/Fields.tsx';
import type { FolderRules } from '../../folder-rules.ts';
import { useForm } from './form.ts';

interface Props {
  rules: FolderRules;
  error: string | undefined;
  onChange: (rules: FolderRules) => void;
}

/** Every rule as it is written, with the number the guard calls it by. */
export function FolderRuleList({ rules, error, onChange }: Props) {
  const { errorOf, marks } = useForm();
  const [text, setText] = useState('');
  const add = (): void => {
    const rule = text.trim();
    setText('');
    if (rule !== '' && !rules?.includes(rule)) onChange([...(rules ?? []), rule]);
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {rules === undefined ? (
        <p className="text-faint">No rules: every folder. Untick something in the tree, or add a rule to narrow it.</p>
      ) : rules.length === 0 ? (
        <p className="text-waits">No folder is chosen: it may touch no file at all.</p>
      ) : (
        <ol aria-label="Folder rules" className="flex max-h-96 flex-col gap-1.5 overflow-y-auto p-0.5">
          {rules.map((rule, index) => (
            <Rule
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place in the list; keyed by its text it would lose the focus at every letter
              key={index}
              number={index + 1}
              rule={rule}
              isMarked={marks.folders === index + 1}
              error={errorOf(`scope.folders.${index}`)}
              onChange={(next) => onChange(rules.map((each, at) => (at === index ? next : each)))}
              onRemove={() => onChange(rules.filter((_, at) => at !== index))}
            />
          ))}
        </ol>
      )}
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="New folder rule"
            hideLabel
            placeholder="/drafts/* or **/*.md"
            className="font-mono"
            spellCheck={false}
            autoCapitalize="off"
            error={error}
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return;
              event.preventDefault();
              add();
            }}
          />
        </div>
        <Button disabled={text.trim() === ''} onClick={add}>
          <Plus aria-hidden size={14} /> Add rule
        </Button>
      </div>
      {rules !== undefined && (
        <Button kind="quiet" className="self-start" onClick={() => onChange(undefined)}>
          Allow every folder
        </Button>
      )}
    </div>
  );
}

interface RuleProps {
  number: number;
  rule: string;
  isMarked: boolean;
  error: string | undefined;
  onChange: (rule: string) => void;
  onRemove: () => void;
}

function Rule({ number, rule, isMarked, error, onChange, onRemove }: RuleProps) {
  return (
    <li
      aria-current={isMarked || undefined}
      className={`flex items-start gap-2 rounded-md ${isMarked ? 'bg-waits-wash' : ''}`}
    >
      <span aria-hidden className={`w-6 pt-1.5 text-right ${isMarked ? 'font-semibold text-waits' : 'text-faint'}`}>
        {number}
      </span>
      <div className="min-w-0 flex-1">
        <TextField
          label={`Folder rule ${number}`}
          hideLabel
          className="font-mono"
          spellCheck={false}
          autoCapitalize="off"
          error={error}
          value={rule}
          onChange={({ target }) => onChange(target.value)}
          onBlur={() => rule.trim() === '' && onRemove()}
        />
      </div>
      <IconButton label={`Remove rule ${number}`} onClick={onRemove}>
        <X aria-hidden size={14} />
      </IconButton>
    </li>
  );
}
