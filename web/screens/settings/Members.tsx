import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Member, Role } from '../../../domain/identity.ts';
import { Button } from '../../components/Button.tsx';
import { Confirm } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { Select } from '../../components/Fields.tsx';
import { Skeleton } from '../../components/Skeleton.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useMe, useMembers, useWorkspace } from '../../queries.ts';
import { isAdmin, ROLES } from '../../roles.ts';
import { workspaceApi } from '../../workspace-api.ts';
import { Invite } from './Invite.tsx';
import { Section } from './Section.tsx';

export function Members() {
  const workspace = useWorkspace();
  const members = useMembers();
  const mayChange = isAdmin(workspace?.role);
  return (
    <Section anchor="members" title="Members" about="Who works in this workspace, and what each may do.">
      <dl className="grid grid-cols-[4rem_1fr] gap-x-3 gap-y-1 text-small">
        {ROLES.map(({ role, name, may }) => (
          <div key={role} className="contents">
            <dt className="font-medium">{name}</dt>
            <dd className="text-soft">{may}</dd>
          </div>
        ))}
        <dt className="font-medium">Owner</dt>
        <dd className="text-soft">of the organization: an admin of every workspace, listed here or not</dd>
      </dl>
      {mayChange && workspace && <Invite workspaceId={workspace.id} />}
      {members.error && !members.data && <ErrorNote title="The members could not be read" error={members.error} />}
      {members.isPending && <Skeleton className="h-10 w-full" />}
      {members.data?.length === 0 && <p className="text-faint">Nobody but the owner of the organization yet.</p>}
      {workspace && members.data && members.data.length > 0 && (
        <ul aria-label="Members" className="divide-y divide-line rounded-md border border-line">
          {members.data.map((member) => (
            <Line key={member.user_id} workspaceId={workspace.id} member={member} mayChange={mayChange} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Line({ workspaceId, member, mayChange }: { workspaceId: string; member: Member; mayChange: boolean }) {
  const { user_id, name, email, role } = member;
  const { data: me } = useMe();
  const client = useQueryClient();
  const [asks, setAsks] = useState(false);
  const isSelf = me?.user.id === user_id;
  const refresh = () => {
    client.invalidateQueries({ queryKey: ['members'] });
    if (isSelf) client.invalidateQueries({ queryKey: ['me'] });
  };
  const change = useMutation({
    mutationFn: (next: Role) => workspaceApi.changeRole(workspaceId, user_id, next),
    onSuccess: (changed) => toast(`${name} now has the role ${changed.role}`),
    onSettled: refresh,
  });
  const remove = useMutation({
    mutationFn: () => workspaceApi.removeMember(workspaceId, user_id),
    onSuccess: () => toast(`${name} is no longer a member`),
    onSettled: refresh,
  });
  const problem = change.error ?? remove.error;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
      <div className="flex min-w-40 flex-1 flex-col">
        <span className="truncate font-medium">
          {name}
          {isSelf && <span className="font-normal text-faint"> (you)</span>}
        </span>
        {email !== name && <span className="truncate text-small text-faint">{email}</span>}
      </div>
      {mayChange ? (
        <>
          <div className="w-28">
            <Select
              label={`Role of ${name}`}
              hideLabel
              value={change.isPending ? change.variables : role}
              disabled={change.isPending}
              onChange={(event) => {
                const next = ROLES.find((each) => each.role === event.target.value);
                if (next) change.mutate(next.role);
              }}
            >
              {ROLES.map((each) => (
                <option key={each.role} value={each.role}>
                  {each.name}
                </option>
              ))}
            </Select>
          </div>
          <Button kind="danger" aria-label={`Remove ${name}`} busy={remove.isPending} onClick={() => setAsks(true)}>
            Remove
          </Button>
        </>
      ) : (
        <span className="text-soft">{ROLES.find((each) => each.role === role)?.name}</span>
      )}
      {problem && (
        <div className="w-full">
          <ErrorNote title="The membership was not changed" error={problem} />
        </div>
      )}
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title={isSelf ? 'Leave this workspace?' : `Remove ${name}?`}
        description={
          isSelf
            ? 'You see nothing of it any more, until somebody adds you again.'
            : 'They see nothing of this workspace any more, and what they have open here ends. Runs they started go on.'
        }
        confirm={isSelf ? 'Leave' : 'Remove member'}
        keep="Keep"
        onConfirm={() => remove.mutate()}
      />
    </li>
  );
}
