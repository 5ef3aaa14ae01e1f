import type { AgentDraft } from '../../agent-draft.ts';
import { RIGHTS } from '../../agent-operations.ts';
import { Chips } from '../../components/Chips.tsx';
import { Checkbox } from '../../components/Fields.tsx';
import { Segments } from '../../components/Segments.tsx';
import { useDefinitions } from '../../definition-queries.ts';
import { AllOrSome } from './AllOrSome.tsx';
import { Documents } from './Documents.tsx';
import { Part } from './FormSection.tsx';
import { useForm } from './form.ts';
import { useMcpEntries } from './McpSection.tsx';

type Given = NonNullable<AgentDraft['grants']>;

/** To begin with, what it may do itself. */
const ownRights = (draft: AgentDraft): Given => ({
  can_read: draft.can_read,
  can_write: draft.can_write,
  can_create: draft.can_create,
  can_delete: draft.can_delete,
  can_execute_code: draft.can_execute_code,
  can_access_integrations: draft.can_access_integrations,
  command_network: draft.command_network,
  scope: draft.scope,
  knowledge_sources: draft.knowledge_sources,
  tools: ['*'],
  mcp_servers: ['*'],
});

/** What the agents below it may use, whether or not it may itself. */
export function Grants() {
  const { draft, change, errorOf, disabled } = useForm();
  const { data: defined = [] } = useDefinitions('tool');
  const entries = useMcpEntries();
  const { grants } = draft;
  const set = (part: Partial<Given>): void => change({ grants: { ...ownRights(draft), ...grants, ...part } });
  const scoped = (part: Partial<Given['scope']>): void => set({ scope: { ...(grants?.scope ?? {}), ...part } });
  const list = (values: string[]): string[] | undefined => (values.length === 0 ? undefined : values);
  return (
    <Part
      title="What it passes on"
      hint="No agent below it, however deep, may do more than this, nor more than the caller’s role."
    >
      <Segments
        label="What it passes on"
        value={grants === null ? 'own' : 'other'}
        choices={[
          { value: 'own', name: 'What it may do itself' },
          { value: 'other', name: 'Something else' },
        ]}
        onChange={(value) => change({ grants: value === 'own' ? null : ownRights(draft) })}
      />
      {grants && (
        <div className="flex flex-col gap-4 rounded-md border border-line p-3">
          <div className="flex flex-wrap gap-x-5">
            {RIGHTS.map(({ flag, name, means }) => (
              <Checkbox
                key={flag}
                label={name}
                title={means}
                disabled={disabled}
                checked={grants[flag]}
                onChange={({ target }) => set({ [flag]: target.checked })}
              />
            ))}
          </div>
          <Listed
            title="Notebooks"
            hint="Ids, or * for all of the workspace. None: nothing below it touches files."
            values={grants.scope.notebooks ?? []}
            placeholder="*"
            onChange={(notebooks) => scoped({ notebooks: list(notebooks) })}
          />
          <Listed
            title="Folders"
            hint={grants.scope.folders ? 'Only in these.' : 'Every folder.'}
            values={grants.scope.folders ?? []}
            placeholder="/drafts"
            onChange={(folders) => scoped({ folders: list(folders) })}
          />
          <Listed
            title="File types"
            hint={grants.scope.file_types ? 'Only these.' : 'Every type.'}
            values={grants.scope.file_types ?? []}
            placeholder="*.md"
            onChange={(file_types) => scoped({ file_types: list(file_types) })}
          />
          <div className="flex flex-col gap-1.5">
            <Heading title="Documents" hint="None: nothing below it searches documents." />
            <Documents
              which=" it passes on"
              named={grants.knowledge_sources}
              onChange={(knowledge_sources) => set({ knowledge_sources })}
            />
          </div>
          <div className="flex flex-col gap-1.5">
            <Heading title="Tools of the workspace" hint="Of those that the agents below it list themselves." />
            <AllOrSome
              which=" it passes on"
              many="tools"
              one="a tool"
              there={defined.filter(({ is_builtin }) => !is_builtin).map(({ name }) => ({ id: name, name }))}
              named={grants.tools}
              onChange={(tools) => set({ tools })}
            />
          </div>
          <div className="flex flex-col gap-1.5">
            <Heading title="MCP servers" hint="Likewise. They need the right to reach integrations." />
            <AllOrSome
              which=" it passes on"
              many="MCP tools"
              one="tools of an MCP server"
              there={entries}
              named={grants.mcp_servers}
              onChange={(mcp_servers) => set({ mcp_servers })}
            />
          </div>
        </div>
      )}
      {errorOf('grants') && <p className="text-small text-failed">{errorOf('grants')}</p>}
    </Part>
  );
}

const Heading = ({ title, hint }: { title: string; hint: string }) => (
  <p className="font-medium">
    {title} <span className="font-normal text-small text-faint">{hint}</span>
  </p>
);

interface ListedProps {
  title: string;
  hint: string;
  values: readonly string[];
  placeholder: string;
  onChange: (values: string[]) => void;
}

function Listed({ title, hint, values, placeholder, onChange }: ListedProps) {
  const { disabled } = useForm();
  const label = `${title} it passes on`;
  return (
    <div className="flex flex-col gap-1.5">
      <Heading title={title} hint={hint} />
      <Chips
        label={label}
        add={`Add to ${label.toLowerCase()}`}
        placeholder={placeholder}
        values={values}
        marked={null}
        disabled={disabled}
        onChange={onChange}
      />
    </div>
  );
}
