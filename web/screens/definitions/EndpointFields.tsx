import { Trash2 } from 'lucide-react';
import type { Endpoint } from '../../../domain/integration.ts';
import { isRecord } from '../../../domain/json-value.ts';
import { IconButton } from '../../components/Button.tsx';
import { Checkbox, Select, TextField } from '../../components/Fields.tsx';
import { JsonField } from '../../components/JsonField.tsx';
import { useDefinitionForm } from './definition-form.ts';

interface Props {
  /** `endpoints.0`, as the server names its fields. */
  at: string;
  endpoint: Endpoint;
  onChange: (part: Partial<Endpoint>) => void;
  /** Null for the only one. */
  onRemove: (() => void) | null;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const isMethod = (text: string): text is Endpoint['method'] => METHODS.some((method) => method === text);

/** One thing that may be asked of another system. */
export function EndpointFields({ at, endpoint, onChange, onRemove }: Props) {
  const { disabled, errorOf, setValid } = useDefinitionForm();
  const { name, method, path, description, input_schema, output_schema, query, body, idempotent } = endpoint;
  const isReadOnly = endpoint.read_only ?? method === 'GET';
  const valid = (part: string) => (isValid: boolean) => setValid(`${at}.${part}`, isValid);
  return (
    <div className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
      <div className="grid grid-cols-[12rem_7rem_1fr_auto] items-start gap-3 max-sm:grid-cols-1">
        <TextField
          label="Endpoint"
          className="font-mono"
          spellCheck={false}
          error={errorOf(`${at}.name`)}
          value={name}
          onChange={({ target }) => onChange({ name: target.value })}
        />
        <Select
          label="Method"
          value={method}
          onChange={({ target }) => isMethod(target.value) && onChange({ method: target.value })}
        >
          {METHODS.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
        <TextField
          label="Path"
          className="font-mono"
          spellCheck={false}
          placeholder="/tickets/{id}"
          error={errorOf(`${at}.path`)}
          value={path}
          onChange={({ target }) => onChange({ path: target.value })}
        />
        {onRemove && !disabled && (
          <IconButton label={`Remove the endpoint ${name}`} className="mt-7 max-sm:mt-0" onClick={onRemove}>
            <Trash2 aria-hidden size={15} />
          </IconButton>
        )}
      </div>
      <TextField
        label="What it does"
        maxLength={2000}
        error={errorOf(`${at}.description`)}
        value={description}
        onChange={({ target }) => onChange({ description: target.value })}
      />
      <div className="flex flex-wrap gap-x-6">
        <Checkbox
          label="Changes nothing"
          title="What changes something waits for a person, where the agent says so"
          disabled={disabled}
          checked={isReadOnly}
          onChange={({ target }) => onChange({ read_only: target.checked })}
        />
        <Checkbox
          label="May be repeated"
          title="Cut off by a crash, it is asked again instead of being reported as interrupted"
          disabled={disabled}
          checked={idempotent}
          onChange={({ target }) => onChange({ idempotent: target.checked })}
        />
      </div>
      <details className="group min-w-0">
        <summary className="cursor-pointer rounded text-soft hover:text-ink">Schemas and mapping</summary>
        <div className="mt-3 grid grid-cols-2 gap-4 max-sm:grid-cols-1">
          <JsonField
            label="Input schema"
            error={errorOf(`${at}.input_schema`)}
            disabled={disabled}
            value={input_schema}
            onValid={valid('input_schema')}
            onChange={(value) => onChange({ input_schema: isRecord(value) ? value : {} })}
          />
          <JsonField
            label="Output schema"
            hint="Empty where anything will do."
            error={errorOf(`${at}.output_schema`)}
            disabled={disabled}
            value={output_schema}
            onValid={valid('output_schema')}
            onChange={(value) => onChange({ output_schema: isRecord(value) ? value : null })}
          />
          <JsonField
            label="Query"
            rows={3}
            hint="{ “q”: “{{ input.text }}” }; empty: what the path leaves of the input, where there is no body."
            error={errorOf(`${at}.query`)}
            disabled={disabled}
            value={query}
            onValid={valid('query')}
            onChange={(value) => onChange({ query: isRecord(value) ? value : undefined })}
          />
          <JsonField
            label="Body"
            rows={3}
            hint="JSON with {{ input.x }} in it; empty: what the path leaves of the input."
            error={errorOf(`${at}.body`)}
            disabled={disabled}
            value={body}
            onValid={valid('body')}
            onChange={(value) => onChange({ body: value ?? undefined })}
          />
        </div>
      </details>
    </div>
  );
}
