/** The token is in the fragment, which browsers keep to themselves: no server log and no referrer ever has it. */
export const signInUrl = (publicUrl: string, token: string): string => `${publicUrl}/sign-in#token=${token}`;
