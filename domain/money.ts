/** Sums are kept in millionths of a dollar, whole numbers that add up, and told in dollars. */
const MICROS = 1_000_000;

/** Null stays null: no limit, or no price that anybody knows. */
export function usdOf(micros: number): number;
export function usdOf(micros: number | null | undefined): number | null;
export function usdOf(micros: number | null | undefined): number | null {
  return micros === null || micros === undefined ? null : micros / MICROS;
}

export function microsOf(usd: number): number;
export function microsOf(usd: number | null | undefined): number | null;
export function microsOf(usd: number | null | undefined): number | null {
  return usd === null || usd === undefined ? null : Math.round(usd * MICROS);
}
