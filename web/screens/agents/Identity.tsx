import { Checkbox, TextArea, TextField } from '../../components/Fields.tsx';
import { LinesField } from '../../components/LinesField.tsx';
import { Segments } from '../../components/Segments.tsx';
import { useWorkspace } from '../../queries.ts';
import { FormSection, Part } from './FormSection.tsx';
import { useForm } from './form.ts';

const ROLES = [
  { role: 'read', name: 'Readers' },
  { role: 'write', name: 'Writers' },
  { role: 'admin', name: 'Admins' },
] as const;

export function Identity() {
  const { draft, change, errorOf, agentId } = useForm();
  return (
    <FormSection id="identity" about="What it is called, what it is for, and who may use it.">
      <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
        <TextField
          label="Name"
          required
          maxLength={100}
          placeholder="Weekly summarizer"
          error={errorOf('name')}
          value={draft.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextField
          label="Slug"
          hint="How the command line and other agents call it."
          maxLength={64}
          spellCheck={false}
          autoCapitalize="off"
          className="font-mono"
          placeholder={agentId === null ? 'made from the name' : undefined}
          error={errorOf('slug')}
          value={draft.slug}
          onChange={({ target }) => change({ slug: target.value })}
        />
      </div>
      <TextArea
        label="Description"
        hint="For people who choose an agent, and for agents that hand work to it."
        maxLength={2000}
        error={errorOf('description')}
        value={draft.description}
        onChange={({ target }) => change({ description: target.value })}
      />
      <LinesField
        label="Examples"
        hint="Requests it is made for, one a line, as people would put them: the dispatcher goes by them too."
        placeholder="sum up what was decided last week"
        error={errorOf('examples')}
        values={draft.examples}
        onChange={(examples) => change({ examples })}
      />
      <Access />
    </FormSection>
  );
}

function Access() {
  const { draft, change, errorOf } = useForm();
  const isAdmin = useWorkspace()?.role === 'admin';
  const isShared = draft.visibility === 'workspace';
  return (
    <Part
      title="Who may use it"
      hint={isAdmin ? undefined : 'Only admins of the workspace may share an agent with everybody.'}
    >
      <Segments
        label="Visibility"
        value={draft.visibility}
        choices={[
          { value: 'personal', name: 'Only me' },
          { value: 'workspace', name: 'The workspace' },
        ]}
        onChange={(visibility) => change({ visibility })}
      />
      {errorOf('visibility') && <p className="text-small text-failed">{errorOf('visibility')}</p>}
      {isShared && (
        <>
          <Segments
            label="Access level"
            value={draft.access_level}
            choices={[
              { value: 'everyone', name: 'Every member' },
              { value: 'role_based', name: 'By role' },
            ]}
            onChange={(access_level) => change({ access_level })}
          />
          {draft.access_level === 'role_based' && (
            <>
              <p className="flex flex-wrap gap-x-6">
                {ROLES.map(({ role, name }) => (
                  <Checkbox
                    key={role}
                    label={name}
                    checked={draft.roles.includes(role)}
                    onChange={({ target }) =>
                      change({
                        roles: ROLES.map((each) => each.role).filter((each) =>
                          each === role ? target.checked : draft.roles.includes(each),
                        ),
                      })
                    }
                  />
                ))}
              </p>
              <p className="text-small text-faint">Who made it and admins may always use it.</p>
            </>
          )}
          {errorOf('roles') && <p className="text-small text-failed">{errorOf('roles')}</p>}
        </>
      )}
    </Part>
  );
}
