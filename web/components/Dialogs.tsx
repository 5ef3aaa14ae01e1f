import { X } from 'lucide-react';
import { AlertDialog, Dialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { focusWaiting } from '../waiting-focus.ts';
import { Button } from './Button.tsx';

const VEIL = 'fixed inset-0 z-40 bg-veil';
const PANEL =
  'fixed left-1/2 top-[12vh] z-50 flex max-h-[80vh] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-float outline-none max-sm:top-auto max-sm:bottom-0 max-sm:w-full max-sm:max-h-[92dvh] max-sm:rounded-b-none';

interface Props {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: string;
  children: ReactNode;
}

export function Modal({ open, onOpenChange, title, description, children }: Props) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className={VEIL} />
        <Dialog.Content
          className={`${PANEL} max-w-xl`}
          onCloseAutoFocus={focusWaiting}
          {...(description ? {} : { 'aria-describedby': undefined })}
        >
          <div className="flex items-center justify-between gap-4 border-b border-line py-2 pr-2 pl-5">
            <Dialog.Title className="py-1 font-semibold">{title}</Dialog.Title>
            <Dialog.Close asChild>
              <Button kind="quiet" square aria-label="Close">
                <X aria-hidden size={16} />
              </Button>
            </Dialog.Close>
          </div>
          <div className="overflow-y-auto p-5">
            {description && <Dialog.Description className="mb-4 text-soft">{description}</Dialog.Description>}
            {children}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Only for what cannot be undone. */
export function Confirm({
  open,
  onOpenChange,
  title,
  description,
  confirm,
  keep,
  onConfirm,
}: Omit<Props, 'children'> & {
  confirm: string;
  keep: string;
  onConfirm: () => void;
}) {
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={VEIL} />
        <AlertDialog.Content className={`${PANEL} max-w-md gap-2 p-5`} onCloseAutoFocus={focusWaiting}>
          <AlertDialog.Title className="font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="text-soft">{description}</AlertDialog.Description>
          <div className="mt-3 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{keep}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button kind="danger" onClick={onConfirm}>
                {confirm}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
