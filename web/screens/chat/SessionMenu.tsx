import { Archive, ArchiveRestore, EllipsisVertical, Pencil } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Session } from '../../../domain/session.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { ErrorNote } from '../../components/ErrorNote.tsx';
import { TextField } from '../../components/Fields.tsx';
import { toast } from '../../components/Toasts.tsx';
import { useChangeSession } from '../../session-queries.ts';

const ITEM =
  'flex h-8 items-center gap-2 rounded px-2 outline-none select-none data-highlighted:bg-hover pointer-coarse:h-10';

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
      <DropdownMenu.Root>
        <DropdownMenu.Trigger asChild>
          <IconButton label="More about this chat">
            <EllipsisVertical aria-hidden size={16} />
          </IconButton>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            className="z-50 w-52 rounded-lg border border-line bg-raised p-1 shadow-float"
          >
            <DropdownMenu.Item className={ITEM} onSelect={() => setRenaming(true)}>
              <Pencil aria-hidden size={14} className="text-faint" /> Rename
            </DropdownMenu.Item>
            <DropdownMenu.Item className={ITEM} onSelect={archive}>
              {session.archived ? (
                <ArchiveRestore aria-hidden size={14} className="text-faint" />
              ) : (
                <Archive aria-hidden size={14} className="text-faint" />
              )}
              {session.archived ? 'Take back from the archive' : 'Archive'}
            </DropdownMenu.Item>
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
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
