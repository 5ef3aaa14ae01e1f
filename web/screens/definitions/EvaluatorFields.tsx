import { isRecord } from '../../../domain/json-value.ts';
import { TextArea, TextField } from '../../components/Fields.tsx';
import { JsonField } from '../../components/JsonField.tsx';
import { NumberField } from '../../components/NumberField.tsx';
import type { Draft } from '../../definition-drafts.ts';
import { useDefinitionForm } from './definition-form.ts';

interface Props {
  draft: Draft<'evaluator'>;
  change: (part: Partial<Draft<'evaluator'>>) => void;
}

/** What is judged, by whom, and when it passes. */
export function EvaluatorFields({ draft: { config }, change }: Props) {
  const { disabled, errorOf, setValid } = useDefinitionForm();
  const set = (part: Partial<typeof config>): void => change({ config: { ...config, ...part } });
  return (
    <>
      <TextArea
        label="Criteria"
        rows={3}
        maxLength={20_000}
        hint="What a good answer is, in words."
        error={errorOf('config.criteria') ?? errorOf('config')}
        value={config.criteria}
        onChange={({ target }) => set({ criteria: target.value })}
      />
      <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
        <TextField
          label="Judging model"
          className="font-mono"
          spellCheck={false}
          placeholder="the installation’s own"
          error={errorOf('config.model')}
          value={config.model ?? ''}
          onChange={({ target }) => set({ model: target.value.trim() === '' ? null : target.value.trim() })}
        />
        <NumberField
          label="Passes from"
          fractional
          hint="Between 0 and 1."
          error={errorOf('config.pass_threshold')}
          value={config.pass_threshold}
          onChange={(value) => set({ pass_threshold: value ?? 0 })}
        />
      </div>
      <TextArea
        label="Prompt of the judge"
        rows={4}
        maxLength={100_000}
        className="font-mono text-small"
        hint="Empty for the usual one."
        error={errorOf('config.prompt_template')}
        value={config.prompt_template}
        onChange={({ target }) => set({ prompt_template: target.value })}
      />
      <JsonField
        label="Rules"
        hint="Checks that need no model: contains, not_contains, matches, json_schema, status, max_tokens, max_cost_usd, max_duration_ms, max_tool_calls."
        error={errorOf('config.rules')}
        disabled={disabled}
        value={config.rules}
        onValid={(isValid) => setValid('rules', isValid)}
        onChange={(rules) => set({ rules: isRecord(rules) ? rules : {} })}
      />
    </>
  );
}
