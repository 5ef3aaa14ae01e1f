/** In a tab that nobody sees there are no frames; its title still tells how things stand. */
const WITHOUT_FRAMES_MS = 250;

/** Tells at most once a frame, however often it is asked to: a run that does much is drawn no oftener than one can see. */
export function eachFrame(tell: () => void): { ask: () => void; stop: () => void } {
  let frame = 0;
  let timer = 0;
  const stop = (): void => {
    cancelAnimationFrame(frame);
    window.clearTimeout(timer);
    frame = timer = 0;
  };
  const now = (): void => {
    stop();
    tell();
  };
  const ask = (): void => {
    if (timer !== 0) return;
    frame = requestAnimationFrame(now);
    timer = window.setTimeout(now, WITHOUT_FRAMES_MS);
  };
  return { ask, stop };
}
