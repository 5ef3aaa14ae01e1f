/**
 * What no command needs and what a kernel has been broken through: keyrings of the host's user, mounts, modules, other
 * namespaces, io_uring, BPF. A second wall behind the namespaces, as a classic BPF program that bubblewrap loads.
 */
interface Architecture {
  audit: number;
  /** Numbers from here on are another calling convention, which would go around the list. */
  foreign_from: number | null;
  refused: readonly number[];
  /** Answered as if the kernel had no such call: programs then take the older one, which can be looked at. */
  absent: readonly number[];
  /** `[number, argument with the mode]` */
  modes: readonly (readonly [number, number])[];
  /** `[number, argument with the flags, argument with the mode]` */
  opens: readonly (readonly [number, number, number])[];
}

/** The same on both: open_tree … mount_setattr, io_uring, quotactl_fd. */
const SHARED = [425, 426, 427, 428, 429, 430, 431, 432, 433, 442, 443];
const OPENAT2 = 437;
const FCHMODAT2 = 452;

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    foreign_from: 0x40000000,
    refused: [
      ...[101 /* ptrace */, 103, 153, 155, 163, 164, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 179, 180],
      ...[212, 227, 246, 248, 249, 250, 272, 298, 300, 304, 305, 308, 310, 311, 312, 313, 320, 321, 323, ...SHARED],
    ],
    absent: [OPENAT2],
    modes: [
      [90, 1],
      [91, 1],
      [85, 1],
      [133, 1],
      [259, 2],
      [268, 2],
      [FCHMODAT2, 2],
    ],
    opens: [
      [2, 1, 2],
      [257, 2, 3],
    ],
  },
  arm64: {
    audit: 0xc00000b7,
    foreign_from: null,
    refused: [
      ...[117 /* ptrace */, 18, 39, 40, 41, 58, 60, 89, 97, 104, 105, 106, 112, 116, 142, 161, 162, 170, 171, 217, 218],
      ...[219, 224, 225, 241, 262, 265, 266, 268, 270, 271, 272, 273, 280, 282, 294, ...SHARED],
    ],
    absent: [OPENAT2],
    modes: [
      [52, 1],
      [53, 2],
      [33, 2],
      [FCHMODAT2, 2],
    ],
    opens: [[56, 2, 3]],
  },
};

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_AT_LEAST = 0x35;
const IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const refuse = (errno: number): number => 0x00050000 | errno;
const EPERM = 1;
const ENOSYS = 38;

/** O_CREAT and O_TMPFILE: only then is there a mode. */
const CREATES = 0o100 | 0o20000000;
/** A file that runs as its owner, who may be root outside, must not be left behind. */
const RUNS_AS_OWNER = 0o6000;

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const argumentAt = (index: number): number => 16 + 8 * index;

type Instruction = readonly [code: number, if_true: number, if_false: number, value: number];
const load = (at: number): Instruction => [LOAD, 0, 0, at];
const done = (value: number): Instruction => [RETURN, 0, 0, value];
/** Goes into what follows where it holds, and past `length` instructions where it does not. */
const when = (code: number, value: number, length: number): Instruction => [code, 0, length, value];

function program({ audit, foreign_from, refused, absent, modes, opens }: Architecture): Instruction[] {
  const modeCheck = (argument: number): Instruction[] => [
    load(argumentAt(argument)),
    when(IF_ANY_BIT, RUNS_AS_OWNER, 1),
    done(refuse(EPERM)),
    done(ALLOW),
  ];
  const only = (number: number, then: Instruction[]): Instruction[] => [when(IF_EQUAL, number, then.length), ...then];
  return [
    load(ARCHITECTURE_AT),
    [IF_EQUAL, 1, 0, audit],
    done(refuse(EPERM)),
    load(NUMBER_AT),
    ...(foreign_from === null ? [] : [when(IF_AT_LEAST, foreign_from, 1), done(refuse(ENOSYS))]),
    ...refused.flatMap((number) => only(number, [done(refuse(EPERM))])),
    ...absent.flatMap((number) => only(number, [done(refuse(ENOSYS))])),
    ...modes.flatMap(([number, mode]) => only(number, modeCheck(mode))),
    ...opens.flatMap(([number, flags, mode]) =>
      only(number, [load(argumentAt(flags)), [IF_ANY_BIT, 1, 0, CREATES], done(ALLOW), ...modeCheck(mode)]),
    ),
    done(ALLOW),
  ];
}

/** Null where nobody has looked up the numbers. */
export function syscallFilter(architecture: NodeJS.Architecture = process.arch): Buffer | null {
  const known = ARCHITECTURES[architecture];
  if (!known) return null;
  const instructions = program(known);
  const bytes = Buffer.alloc(8 * instructions.length);
  instructions.forEach(([code, ifTrue, ifFalse, value], index) => {
    const at = 8 * index;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(value >>> 0, at + 4);
  });
  return bytes;
}
