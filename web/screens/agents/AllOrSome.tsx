import { PickList } from '../../components/PickList.tsx';
import { Segments } from '../../components/Segments.tsx';
import { useForm } from './form.ts';

const ALL = '*';

export interface Naming {
  /** " it passes on": what tells these from others on the page. */
  which?: string;
  named: readonly string[];
  onChange: (named: string[]) => void;
}

interface Props extends Naming {
  /** "documents" and "a document". */
  many: string;
  one: string;
  there: readonly { id: string; name: string }[];
}

/** All there is in the workspace, or some of it. */
export function AllOrSome({ which = '', named, onChange, many, one, there }: Props) {
  const { disabled } = useForm();
  const isAll = named.includes(ALL);
  return (
    <>
      <Segments
        label={`${many.charAt(0).toUpperCase()}${many.slice(1)}${which}`}
        value={isAll ? 'all' : 'some'}
        choices={[
          { value: 'all', name: `All ${many}` },
          { value: 'some', name: 'Only these' },
        ]}
        onChange={(choice) => onChange(choice === 'all' ? [ALL] : [])}
      />
      {!isAll && (
        <PickList
          label={`${many}${which}`}
          add={`Add ${one}${which}`}
          disabled={disabled}
          chosen={named.map((id) => ({
            id,
            name: there.find((each) => each.id === id)?.name ?? `${id} (not there any more)`,
          }))}
          others={there.filter(({ id }) => !named.includes(id))}
          onAdd={(id) => onChange([...named, id])}
          onRemove={(id) => onChange(named.filter((each) => each !== id))}
        />
      )}
    </>
  );
}
