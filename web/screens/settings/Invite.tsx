import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '../../../domain/identity.ts';
import { Button } from '../../components/Button.tsx';
import { Copyable } from '../../components/Copyable.tsx';
import { Select, TextField } from '../../components/Fields.tsx';
import { ROLES } from '../../roles.ts';
import { workspaceApi } from '../../workspace-api.ts';
import { AddForm } from './AddForm.tsx';

/** Adds somebody by their address. Who is new to the organization gets a link, which is shown once. */
export function Invite({ workspaceId }: { workspaceId: string }) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('write');
  const invite = useMutation({
    mutationFn: () =>
      workspaceApi.invite(workspaceId, { email: email.trim(), role, ...(name.trim() && { name: name.trim() }) }),
    onSuccess: () => {
      setEmail('');
      setName('');
      client.invalidateQueries({ queryKey: ['members'] });
    },
  });
  const added = invite.data;
  return (
    <AddForm
      label="Invite a member"
      align="items-end"
      onSubmit={() => invite.mutate()}
      error={invite.error}
      failed="Nobody was invited"
    >
      <div className="min-w-52 flex-1">
        <TextField
          label="E-mail address"
          type="email"
          required
          maxLength={320}
          placeholder="robin@example.org"
          value={email}
          onChange={(event) => setEmail(event.target.value)}
        />
      </div>
      <div className="w-40 max-sm:w-full">
        <TextField
          label="Name"
          maxLength={100}
          placeholder="Robin"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <div className="w-28 max-sm:flex-1">
        <Select
          label="Role"
          value={role}
          onChange={(event) => setRole(ROLES.find((each) => each.role === event.target.value)?.role ?? 'read')}
        >
          {ROLES.map((each) => (
            <option key={each.role} value={each.role}>
              {each.name}
            </option>
          ))}
        </Select>
      </div>
      <Button type="submit" busy={invite.isPending} disabled={email.trim() === ''}>
        Invite
      </Button>
      {added && (
        <div role="status" className="flex w-full flex-col gap-1 rounded-md bg-done-wash p-3">
          {added.sign_in_link ? (
            <>
              <p className="font-medium text-done">
                {added.name} is added. Send them this link; it signs in once, within a week, and is not shown again.
              </p>
              <Copyable text={added.sign_in_link} label="sign-in link" />
            </>
          ) : (
            <p className="font-medium text-done">
              {added.name} has the role {added.role} now, and signs in as before.
            </p>
          )}
        </div>
      )}
    </AddForm>
  );
}
