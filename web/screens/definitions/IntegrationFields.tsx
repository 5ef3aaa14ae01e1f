import { KeyRound, Plus } from 'lucide-react';
import type { Endpoint } from '../../../domain/integration.ts';
import { isRecord } from '../../../domain/json-value.ts';
import { Button } from '../../components/Button.tsx';
import { Checkbox, Select, TextField } from '../../components/Fields.tsx';
import { JsonField } from '../../components/JsonField.tsx';
import { NumberField } from '../../components/NumberField.tsx';
import { BLANKS, type Draft } from '../../definition-drafts.ts';
import { definitionsApi } from '../../definitions-api.ts';
import { Keys } from '../agents/Credentials.tsx';
import { useDefinitionForm } from './definition-form.ts';
import { EndpointFields } from './EndpointFields.tsx';

interface Props {
  id: string | null;
  draft: Draft<'integration'>;
  change: (part: Partial<Draft<'integration'>>) => void;
}

const textsOf = (value: unknown): Record<string, string> =>
  isRecord(value) ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)])) : {};

/** Where another system is, what may be asked of it, and how it is told who asks. */
export function IntegrationFields({ id, draft, change }: Props) {
  const { disabled, errorOf, setValid } = useDefinitionForm();
  const { base_url, allow_private, headers, endpoints, limits } = draft;
  const setEndpoint = (n: number, endpoint: Endpoint | null): void =>
    change({ endpoints: endpoints.flatMap((each, m) => (m === n ? (endpoint ?? []) : each)) });
  const fresh = BLANKS.integration.endpoints[0];
  return (
    <>
      <TextField
        label="Address"
        type="url"
        className="font-mono"
        spellCheck={false}
        placeholder="https://tickets.example.org/api"
        hint="Only below this address is anything asked for, and redirects away from it are refused."
        error={errorOf('base_url')}
        value={base_url}
        onChange={({ target }) => change({ base_url: target.value })}
      />
      <Checkbox
        label="May lie in a private network"
        title="Loopback, private, link-local and metadata addresses are refused otherwise, also behind a name"
        disabled={disabled}
        checked={allow_private}
        onChange={({ target }) => change({ allow_private: target.checked })}
      />
      <JsonField
        label="Headers of every request"
        hint="Name and value. What is secret belongs into a credential."
        rows={2}
        error={errorOf('headers')}
        disabled={disabled}
        value={headers}
        onValid={(isValid) => setValid('headers', isValid)}
        onChange={(value) => change({ headers: textsOf(value) })}
      />
      <Credential draft={draft} change={change} />
      {id === null ? (
        <p className="flex items-center gap-2 text-faint">
          <KeyRound aria-hidden size={14} /> Create the integration first; then its credentials can be set here.
        </p>
      ) : disabled ? null : (
        <div className="flex flex-col gap-3">
          <h3 className="font-medium">Credentials</h3>
          <Keys
            ownerId={id}
            calls={{
              list: definitionsApi.credentials,
              set: definitionsApi.setCredential,
              remove: definitionsApi.removeCredential,
            }}
            suggested={[draft.credential?.key ?? 'token']}
            none="None: it is called without."
          />
        </div>
      )}
      <fieldset className="flex flex-col gap-3">
        <legend className="mb-2 font-medium">Endpoints</legend>
        {endpoints.map((endpoint, n) => (
          <EndpointFields
            // biome-ignore lint/suspicious/noArrayIndexKey: an endpoint is its place in the list; its name is being typed
            key={n}
            at={`endpoints.${n}`}
            endpoint={endpoint}
            onChange={(part) => setEndpoint(n, { ...endpoint, ...part })}
            onRemove={endpoints.length > 1 ? () => setEndpoint(n, null) : null}
          />
        ))}
        {errorOf('endpoints') && endpoints.length === 0 && (
          <p className="text-small text-failed">{errorOf('endpoints')}</p>
        )}
        {!disabled && fresh && (
          <Button
            className="self-start"
            onClick={() =>
              change({ endpoints: [...endpoints, { ...fresh, name: `endpoint_${endpoints.length + 1}` }] })
            }
          >
            <Plus aria-hidden size={14} /> Add an endpoint
          </Button>
        )}
      </fieldset>
      <div className="grid grid-cols-3 gap-4 max-sm:grid-cols-1">
        <NumberField
          label="Longest answer (bytes)"
          error={errorOf('limits.max_response_bytes')}
          value={limits.max_response_bytes}
          onChange={(value) => change({ limits: { ...limits, max_response_bytes: value ?? 0 } })}
        />
        <NumberField
          label="Longest request (bytes)"
          error={errorOf('limits.max_request_bytes')}
          value={limits.max_request_bytes}
          onChange={(value) => change({ limits: { ...limits, max_request_bytes: value ?? 0 } })}
        />
        <NumberField
          label="Waits at most (ms)"
          error={errorOf('limits.timeout_ms')}
          value={limits.timeout_ms}
          onChange={(value) => change({ limits: { ...limits, timeout_ms: value ?? 0 } })}
        />
      </div>
    </>
  );
}

/** Which credential goes along, and where. */
function Credential({ draft: { credential }, change }: Omit<Props, 'id'>) {
  const { disabled, errorOf } = useDefinitionForm();
  const blank = { key: 'token', in: 'header', name: 'Authorization', prefix: 'Bearer ' } as const;
  return (
    <div className="flex flex-col gap-3">
      <Checkbox
        label="Every request carries a credential"
        disabled={disabled}
        checked={credential !== null}
        onChange={({ target }) => change({ credential: target.checked ? blank : null })}
      />
      {credential && (
        <div className="grid grid-cols-4 gap-4 max-lg:grid-cols-2 max-sm:grid-cols-1">
          <TextField
            label="Which one"
            className="font-mono"
            error={errorOf('credential.key')}
            value={credential.key}
            onChange={({ target }) => change({ credential: { ...credential, key: target.value } })}
          />
          <Select
            label="Goes into"
            value={credential.in}
            onChange={({ target }) =>
              change({ credential: { ...credential, in: target.value === 'query' ? 'query' : 'header' } })
            }
          >
            <option value="header">a header</option>
            <option value="query">the query</option>
          </Select>
          <TextField
            label="Called"
            className="font-mono"
            error={errorOf('credential.name')}
            value={credential.name}
            onChange={({ target }) => change({ credential: { ...credential, name: target.value } })}
          />
          <TextField
            label="After"
            className="font-mono"
            hint="“Bearer ” with its blank"
            error={errorOf('credential.prefix')}
            value={credential.prefix}
            onChange={({ target }) => change({ credential: { ...credential, prefix: target.value } })}
          />
        </div>
      )}
    </div>
  );
}
