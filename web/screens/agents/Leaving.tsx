import { Confirm } from '../../components/Dialogs.tsx';
import type { Unsaved } from '../../unsaved.ts';

/** Asks before what is not saved is left behind. */
export function Leaving({ unsaved }: { unsaved: Unsaved }) {
  return (
    <Confirm
      open={unsaved.asks}
      onOpenChange={(open) => !open && unsaved.stay()}
      title="Leave without saving?"
      description="What you have changed here is not saved, and is lost when you leave."
      confirm="Leave without saving"
      keep="Stay"
      onConfirm={unsaved.leave}
    />
  );
}
