import type { ComponentProps } from 'react';
import { Link } from 'react-router';

const KINDS = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong border-transparent',
  plain: 'bg-surface text-ink border-control/50 hover:bg-hover hover:border-control',
  quiet: 'border-transparent text-soft hover:bg-hover hover:text-ink',
  danger: 'bg-surface text-failed border-control/50 hover:bg-failed-wash hover:border-failed',
};

interface Props extends ComponentProps<'button'> {
  kind?: keyof typeof KINDS;
  /** Something was sent and is not answered yet: says so and takes no second click. */
  busy?: boolean;
  /** An icon and nothing else. */
  square?: boolean;
}

const SHAPE =
  'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors select-none disabled:opacity-55 aria-busy:animate-pulse pointer-coarse:h-10';

export function Button({
  kind = 'plain',
  busy = false,
  square = false,
  className = '',
  type = 'button',
  disabled,
  ...rest
}: Props) {
  return (
    <button
      type={type}
      aria-busy={busy}
      disabled={disabled || busy}
      className={`${SHAPE} ${square ? 'w-8 pointer-coarse:w-10' : 'px-3'} ${KINDS[kind]} ${className}`}
      {...rest}
    />
  );
}

/** An icon alone: its name is for those who cannot see it, and the tooltip for those who wonder. */
export function IconButton({ label, ...rest }: Omit<Props, 'square'> & { label: string }) {
  return <Button kind="quiet" square aria-label={label} title={label} {...rest} />;
}

/** Looks like a button and leads to another page: it can be opened in another tab, too. */
export function ButtonLink({
  kind = 'plain',
  className = '',
  ...rest
}: ComponentProps<typeof Link> & Pick<Props, 'kind'>) {
  return <Link className={`${SHAPE} px-3 ${KINDS[kind]} ${className}`} {...rest} />;
}
