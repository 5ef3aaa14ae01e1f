import { Archive, ArchiveRestore, Pencil } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Session } from '../../../domain/session.ts';
import { Button } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { Menu } from '../../components/Menu.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useChangeSession } from '../../session-queries.ts';

export function SessionMenu({ session }: { session: Session }) {
  const change = useChangeSession(session.id);
  const navigate = useNavigate();
  const [isRenaming, setRenaming] = useState(false);
  const archive = (): void => {
    const archived = !session.archived;
    change.mutate(
      { archived },
      {
        onSuccess: () => {
          toast(archived ? 'Chat archived. It is kept under Archived.' : 'Chat taken back from the archive');
          if (archived) navigate('/chat');
        },
        onError: (error) => toast(error.message, 'failed'),
      },
    );
  };
  return (
    <>
      <Menu
        label="More about this chat"
        items={[
          { name: 'Rename', icon: Pencil, run: () => setRenaming(true) },
          session.archived
            ? { name: 'Take back from the archive', icon: ArchiveRestore, run: archive }
            : { name: 'Archive', icon: Archive, run: archive },
        ]}
      />
      {isRenaming && <Rename session={session} onClose={() => setRenaming(false)} />}
    </>
  );
}

function Rename({ session, onClose }: { session: Session; onClose: () => void }) {
  const change = useChangeSession(session.id);
  const [title, setTitle] = useState(session.title);
  return (
    <Modal open onOpenChange={(open) => !open && onClose()} title="Rename chat">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({ title: title.trim() }, { onSuccess: onClose });
        }}
      >
        <TextField
          label="Title"
          autoFocus
          maxLength={200}
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        {change.error && <ErrorNote title="The chat was not renamed" error={change.error} />}
        <Button
          type="submit"
          kind="primary"
          className="self-end"
          busy={change.isPending}
          disabled={title.trim() === ''}
        >
          Rename
        </Button>
      </form>
    </Modal>
  );
}
