import { isRecord } from '../../domain/json-value.ts';
import { asText } from '../format.ts';
import { Scroll } from './Scroll.tsx';

/** Code, file content or output as it is; long ones scroll in their own box. */
export function Block({ text, label, follows = false }: { text: string; label: string; follows?: boolean }) {
  return (
    <Scroll
      label={label}
      {...(follows ? { follows: text } : {})}
      className="rounded-md border border-line bg-canvas p-3"
    >
      <pre className="font-mono break-words whitespace-pre-wrap">{text}</pre>
    </Scroll>
  );
}

const isShort = (value: unknown): boolean =>
  value === null || typeof value !== 'object' ? !String(value).includes('\n') && String(value).length < 120 : false;

/** Arguments and results: short fields as a list, long ones as blocks. */
export function Value({ value, label }: { value: unknown; label: string }) {
  if (!isRecord(value)) return <Block text={asText(value)} label={label} />;
  const fields = Object.entries(value);
  if (fields.length === 0) return <p className="text-faint">Nothing.</p>;
  const brief = fields.filter(([, field]) => isShort(field));
  const long = fields.filter(([, field]) => !isShort(field));
  return (
    <div className="flex flex-col gap-3">
      {brief.length > 0 && (
        <dl className="grid grid-cols-[minmax(4rem,auto)_1fr] gap-x-4 gap-y-1">
          {brief.map(([name, field]) => (
            <div key={name} className="contents">
              <dt className="text-faint">{name}</dt>
              <dd className="min-w-0 font-mono text-small leading-5 break-words">{String(field)}</dd>
            </div>
          ))}
        </dl>
      )}
      {long.map(([name, field]) => (
        <div key={name} className="flex flex-col gap-1">
          <p className="text-faint">{name}</p>
          <Block text={asText(field)} label={`${label}: ${name}`} />
        </div>
      ))}
    </div>
  );
}
