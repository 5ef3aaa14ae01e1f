/** Something is under way. The dot moves, the word stays readable. */
export function Working({ word }: { word: string }) {
  return (
    <p className="flex items-center gap-2 text-soft">
      <span aria-hidden className="size-2 animate-pulse rounded-full bg-running" />
      {word}
    </p>
  );
}
