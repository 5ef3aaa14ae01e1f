import { BUILTIN_TOOLS } from '../../../domain/builtin-tools.ts';
import { readEntrypoint } from '../../../domain/entrypoint.ts';
import { isRecord } from '../../../domain/json-value.ts';
import { Chips } from '../../components/Chips.tsx';
import { Select, TextField } from '../../components/Fields.tsx';
import { JsonField } from '../../components/JsonField.tsx';
import { LinesField } from '../../components/LinesField.tsx';
import type { Draft } from '../../definition-drafts.ts';
import { useDefinitions } from '../../definition-queries.ts';
import { useDefinitionForm } from './definition-form.ts';

interface Props {
  draft: Draft<'tool'>;
  change: (part: Partial<Draft<'tool'>>) => void;
}

/** Where it leads, what it takes and what it gives. */
export function ToolFields({ draft, change }: Props) {
  const { disabled, errorOf, setValid } = useDefinitionForm();
  const { data: integrations = [] } = useDefinitions('integration');
  const { entrypoint, schema, scopes, examples } = draft;

  /** A new tool takes over what it leads to says of itself, unless something was said already. */
  const lead = (to: string): void => {
    const where = readEntrypoint(to);
    const endpoint =
      where?.kind === 'integration'
        ? integrations
            .find(({ name }) => name === where.integration)
            ?.endpoints.find(({ name }) => name === where.endpoint)
        : undefined;
    const builtin = where?.kind === 'builtin' ? BUILTIN_TOOLS.find(({ name }) => name === where.tool) : undefined;
    const input = endpoint?.input_schema ?? builtin?.parameters;
    change({
      entrypoint: to,
      ...(input && { schema: { input, output: endpoint?.output_schema ?? null } }),
      ...(draft.description === '' && { description: endpoint?.description ?? builtin?.description ?? '' }),
    });
  };
  const offered = [
    ...integrations.flatMap(({ name, endpoints }) => endpoints.map((each) => `integration:${name}/${each.name}`)),
    ...BUILTIN_TOOLS.map(({ name }) => `builtin:${name}`),
  ];
  return (
    <>
      <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
        <TextField
          label="Leads to"
          className="font-mono"
          spellCheck={false}
          autoCapitalize="off"
          maxLength={300}
          placeholder="integration:tickets/close"
          hint="integration:<name>/<endpoint>, workflow:<name>, mcp:<server>/<tool> or builtin:<tool>"
          error={errorOf('entrypoint')}
          value={entrypoint}
          onChange={({ target }) => change({ entrypoint: target.value })}
        />
        {!disabled && (
          <Select
            label="Or choose"
            value={offered.includes(entrypoint) ? entrypoint : ''}
            onChange={({ target }) => target.value && lead(target.value)}
          >
            <option value="">
              {integrations.length === 0 ? 'a built-in tool…' : 'an endpoint or a built-in tool…'}
            </option>
            {offered.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </Select>
        )}
      </div>
      <JsonField
        label="Input schema"
        hint="JSON Schema of its arguments, as models see it. A call that does not fit is refused."
        error={errorOf('schema.input')}
        rows={10}
        disabled={disabled}
        value={schema.input}
        onValid={(isValid) => setValid('schema.input', isValid)}
        onChange={(input) => change({ schema: { ...schema, input: isRecord(input) ? input : {} } })}
      />
      <JsonField
        label="Output schema"
        hint="JSON Schema of what it gives; empty where anything will do."
        error={errorOf('schema.output')}
        rows={4}
        disabled={disabled}
        value={schema.output}
        onValid={(isValid) => setValid('schema.output', isValid)}
        onChange={(output) => change({ schema: { ...schema, output: isRecord(output) ? output : null } })}
      />
      <div className="flex flex-col gap-1.5">
        <p className="font-medium">Scopes</p>
        <Chips
          label="Scopes"
          add="Add a scope"
          placeholder="search.read"
          values={scopes}
          marked={null}
          disabled={disabled}
          error={errorOf('scopes')}
          onChange={(values) => change({ scopes: values })}
        />
      </div>
      <LinesField
        label="Examples"
        hint="Requests it is made for, one a line, as people would put them: the dispatcher goes by them too."
        placeholder="what is the weather in Lisbon"
        error={errorOf('examples')}
        disabled={disabled}
        values={examples}
        onChange={(values) => change({ examples: values })}
      />
    </>
  );
}
