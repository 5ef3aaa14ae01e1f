import { Ban, Check } from 'lucide-react';

/** Icon, colour and word, always together; what went as it should stays quiet. */
export function Outcome({ wasAllowed }: { wasAllowed: boolean }) {
  const Icon = wasAllowed ? Check : Ban;
  return (
    <span
      className={`inline-flex items-center gap-1.5 whitespace-nowrap ${wasAllowed ? 'text-soft' : 'font-medium text-failed'}`}
    >
      <Icon aria-hidden size={14} className="shrink-0" />
      {wasAllowed ? 'Allowed' : 'Refused'}
    </span>
  );
}
