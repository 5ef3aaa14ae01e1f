import { Link } from 'react-router';
import { BUILTIN_TOOLS } from '../../../domain/builtin-tools.ts';
import { PickList } from '../../components/PickList.tsx';
import { Segments } from '../../components/Segments.tsx';
import { useDefinitions } from '../../definition-queries.ts';
import { FormSection, Part } from './FormSection.tsx';
import { useForm } from './form.ts';

const leaves = (entrypoint: string): boolean => /^(integration|mcp):/.test(entrypoint);

/** What it can call: tools that the workspace brings, and those that come with the product. */
export function ToolsSection() {
  const { draft, change, errorOf, disabled } = useForm();
  const { data: defined = [] } = useDefinitions('tool');
  const own = defined.filter(({ is_builtin }) => !is_builtin);
  const { tools } = draft;
  const leading = own.filter(({ name, entrypoint }) => tools.includes(name) && leaves(entrypoint));
  return (
    <FormSection
      id="tools"
      about="Tools of the workspace it is given, and which of the built-in ones it is offered. Its rights decide what it may do with each."
    >
      <Part
        title="Tools of the workspace"
        hint={
          own.length === 0 ? (
            <>
              There are none yet.{' '}
              <Link to="/tools" className="text-accent-ink underline">
                Make one
              </Link>{' '}
              of an integration or a workflow.
            </>
          ) : null
        }
      >
        <PickList
          label="tools"
          add="Add a tool"
          disabled={disabled}
          chosen={tools.map((name) => {
            const tool = defined.find((each) => each.name === name);
            return { id: name, name, aside: tool ? tool.entrypoint : 'is not there any more' };
          })}
          others={own.filter(({ name }) => !tools.includes(name)).map(({ name }) => ({ id: name, name }))}
          onAdd={(name) => change({ tools: [...tools, name] })}
          onRemove={(name) => change({ tools: tools.filter((each) => each !== name) })}
        />
        {leading.length > 0 && !draft.can_access_integrations && (
          <p className="text-small text-waits">
            Without the right “Integrations” it is not offered {leading.map(({ name }) => name).join(', ')}.
          </p>
        )}
        {errorOf('tools') && <p className="text-small text-failed">{errorOf('tools')}</p>}
      </Part>
      <BuiltinTools />
    </FormSection>
  );
}

function BuiltinTools() {
  const { draft, change, errorOf, disabled } = useForm();
  const { system_tools } = draft;
  const names = BUILTIN_TOOLS.map(({ name }) => name);
  const chosen = system_tools ?? names;
  const others = chosen.filter((name) => !names.includes(name));
  return (
    <Part title="Built-in tools" hint="Of those its rights allow; reading on in long results is always there.">
      <fieldset disabled={disabled} className="contents">
        <Segments
          label="Built-in tools"
          value={system_tools === null ? 'all' : 'some'}
          choices={[
            { value: 'all', name: 'All it may use' },
            { value: 'some', name: 'Only these' },
          ]}
          onChange={(value) => change({ system_tools: value === 'all' ? null : names })}
        />
      </fieldset>
      {system_tools !== null && (
        <ul
          aria-label="Built-in tools it is offered"
          className="grid grid-cols-2 divide-line rounded-md border border-line p-1 max-sm:grid-cols-1"
        >
          {[...BUILTIN_TOOLS, ...others.map((name) => ({ name, description: '' }))].map(({ name, description }) => (
            <li key={name}>
              <label
                title={description}
                className="flex min-h-8 items-center gap-3 rounded px-2 font-mono text-small has-enabled:cursor-pointer has-enabled:hover:bg-hover pointer-coarse:min-h-11"
              >
                <input
                  type="checkbox"
                  className="size-4 accent-accent"
                  checked={chosen.includes(name)}
                  onChange={({ target }) =>
                    change({
                      system_tools: target.checked ? [...chosen, name] : chosen.filter((each) => each !== name),
                    })
                  }
                />
                {name}
              </label>
            </li>
          ))}
        </ul>
      )}
      {errorOf('system_tools') && <p className="text-small text-failed">{errorOf('system_tools')}</p>}
    </Part>
  );
}
