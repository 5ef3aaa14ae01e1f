import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Button } from '../../components/Button.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { Section } from './Section.tsx';

const SHORTEST = 10;

export function Password() {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => api.setPassword({ password, ...(current && { current_password: current }) }),
    onSuccess: () => {
      setCurrent('');
      setPassword('');
      toast('Password changed');
    },
  });
  return (
    <Section
      anchor="password"
      title="Password"
      about="To sign in without a link. Leave the current one empty if you have none yet."
    >
      <form
        className="flex max-w-sm flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          minLength={SHORTEST}
          maxLength={1024}
          hint={`At least ${SHORTEST} characters.`}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {change.error && <ErrorNote title="The password was not changed" error={change.error} />}
        <Button type="submit" className="self-start" busy={change.isPending} disabled={password.length < SHORTEST}>
          Change password
        </Button>
      </form>
    </Section>
  );
}
