import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId } from 'react';
import { parseModel } from '../../../domain/model.ts';
import { agentsApi, type ModelProvider } from '../../agents-api.ts';
import { Checkbox, TextField } from '../../components/Fields.tsx';
import { NumberField } from '../../components/NumberField.tsx';
import { Segments } from '../../components/Segments.tsx';
import { useAgents } from '../../queries.ts';
import { FormSection, Part } from './FormSection.tsx';
import { useForm } from './form.ts';

export function ModelSection() {
  const { draft, change, errorOf } = useForm();
  const mode = draft.agent_mode;
  return (
    <FormSection id="model" about="Which model does the thinking, and where it runs.">
      <ModelField
        label="Model"
        name="model"
        value={draft.model}
        onChange={(model) => change({ model: model ?? '' })}
        isRequired
      />
      <Part title="Where it runs" hint={MODES[mode]}>
        <Segments
          label="Agent mode"
          value={mode}
          choices={[
            { value: 'remote', name: 'Remote' },
            { value: 'local', name: 'Local' },
            { value: 'hybrid_auto', name: 'Hybrid' },
          ]}
          onChange={(agent_mode) => change({ agent_mode })}
        />
        {errorOf('agent_mode') && <p className="text-small text-failed">{errorOf('agent_mode')}</p>}
      </Part>
      {mode !== 'remote' && (
        <ModelField
          label="Local model"
          name="local_model"
          value={draft.local_model ?? ''}
          hint="Empty: the model above, which must then run locally."
          onChange={(local_model) => change({ local_model })}
        />
      )}
      {mode !== 'local' && (mode === 'hybrid_auto' || draft.remote_model !== null) && (
        <ModelField
          label="Remote model"
          name="remote_model"
          value={draft.remote_model ?? ''}
          hint="Empty: the model above."
          onChange={(remote_model) => change({ remote_model })}
        />
      )}
      {mode === 'hybrid_auto' && <Hybrid />}
    </FormSection>
  );
}

const MODES = {
  remote: 'At the provider of the model.',
  local: 'On a server of your own; nothing goes to anybody else.',
  hybrid_auto: 'On a server of your own first, and at the provider when that comes to nothing.',
};

interface ModelFieldProps {
  label: string;
  name: 'model' | 'local_model' | 'remote_model';
  value: string;
  hint?: string;
  isRequired?: boolean;
  onChange: (model: string | null) => void;
}

/** A model as it is written, with what this installation knows to offer and what it says of the provider. */
function ModelField({ label, name, value, hint, isRequired = false, onChange }: ModelFieldProps) {
  const { errorOf } = useForm();
  const list = useId();
  const { data: agents = [] } = useAgents();
  const { data: providers = [] } = useQuery({
    queryKey: ['models'],
    queryFn: agentsApi.models,
    staleTime: 60_000,
    select: ({ items }) => items,
  });
  const examples = providers.filter(({ configured }) => configured).map(({ example }) => example);
  const offered = [...new Set([...agents.map(({ model }) => model), ...examples])].sort();
  return (
    <>
      <TextField
        label={label}
        required={isRequired}
        list={list}
        maxLength={200}
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        className="font-mono"
        placeholder={isRequired ? examples[0] : undefined}
        error={errorOf(name)}
        hint={providerNote(value, providers) ?? hint}
        value={value}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
      />
      <datalist id={list}>
        {offered.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
    </>
  );
}

function providerNote(model: string, providers: readonly ModelProvider[]): ReactNode {
  if (model === '') return null;
  try {
    const { provider } = parseModel(model);
    const known = providers.find((each) => each.provider === provider);
    if (!known) return null;
    if (known.configured) return `${provider}: ${provider === 'demo' ? known.note : 'ready to use here.'}`;
    return (
      <span className="text-waits">{`${provider} is not set up here: ${known.note} Or set the credential api_key below.`}</span>
    );
  } catch {
    const examples = providers.map(({ example }) => example).join(', ');
    return <span className="text-waits">No provider is known for this name. Written like: {examples}.</span>;
  }
}

function Hybrid() {
  const { draft, change, errorOf } = useForm();
  return (
    <Part title="When it goes to the remote model">
      <div className="grid grid-cols-3 gap-4 max-lg:grid-cols-2 max-sm:grid-cols-1">
        <NumberField
          label="After failed calls"
          error={errorOf('hybrid_max_local_attempts')}
          value={draft.hybrid_max_local_attempts}
          onChange={(value) => change({ hybrid_max_local_attempts: value ?? 0 })}
        />
        <NumberField
          label="After answers off the schema"
          error={errorOf('hybrid_remote_on_schema_fail')}
          value={draft.hybrid_remote_on_schema_fail}
          onChange={(value) => change({ hybrid_remote_on_schema_fail: value ?? 0 })}
        />
        <NumberField
          label="After waiting for, ms"
          error={errorOf('hybrid_remote_on_timeout_ms')}
          value={draft.hybrid_remote_on_timeout_ms}
          onChange={(value) => change({ hybrid_remote_on_timeout_ms: value ?? 0 })}
        />
      </div>
      <Checkbox
        label="When the conversation is too long for it"
        checked={draft.hybrid_remote_on_context_overflow}
        onChange={({ target }) => change({ hybrid_remote_on_context_overflow: target.checked })}
      />
      <Checkbox
        label="Never: fail instead of going remote"
        checked={draft.hybrid_fallback_forbidden}
        onChange={({ target }) => change({ hybrid_fallback_forbidden: target.checked })}
      />
    </Part>
  );
}
