/** A file that is not what somebody expected it to be. */
export interface Mismatched {
  file_path: string;
  expected_hash: string | null;
  actual_hash: string | null;
}
