/** What a command may use; each holds for the whole tree of processes unless it says otherwise. */
export interface CommandLimits {
  memory_bytes: number;
  processes: number;
  /** Cores' worth of time; where groups of processes cannot be limited, commands only give way to everything else. */
  cpus: number | null;
  /** Of one file. */
  file_bytes: number;
  /** What the workspace may grow by. */
  disk_bytes: number;
  /** Each of /tmp and /dev/shm, which lie in memory. */
  tmp_bytes: number;
  /** What is kept of its output, as its beginning and its end. */
  output_bytes: number;
}

const MB = 1024 * 1024;

export const DEFAULT_LIMITS: CommandLimits = {
  memory_bytes: 2048 * MB,
  processes: 256,
  cpus: null,
  file_bytes: 1024 * MB,
  disk_bytes: 4096 * MB,
  tmp_bytes: 512 * MB,
  output_bytes: 10 * MB,
};

/** What ended a command before its end. */
export type Cut = 'timeout' | 'cancelled' | 'memory' | 'processes' | 'disk';
