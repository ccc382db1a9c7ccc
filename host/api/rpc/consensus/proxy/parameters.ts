import { hexDigits } from '../../../../base/hex.ts'
import type { CometParams } from '../../../../chain/consensus/cometbft/comet-rpc.ts'
import type { Arguments } from '../arguments.ts'
import { formatBytes } from '../json.ts'

/** Parses an argument and encodes it in CometBFT's JSON; undefined if absent. @throws INVALID_ARGUMENT */
export type Parameter = (args: Arguments, name: string) => unknown

/** Integers are JSON strings. */
export const integer: Parameter = (args, name) => args.integer(name)?.toString()

export const text: Parameter = (args, name) => args.text(name)

export const boolean: Parameter = (args, name) => args.boolean(name)

export const json: Parameter = (args, name) => args.json(name)

/** A hash as `[]byte`, encoded in base64. */
export const hash: Parameter = (args, name) => formatBytes(args.hash(name))

/** A hash as `HexBytes`. */
export const hexHash: Parameter = (args, name) => hexDigits(args.hash(name))

/** Bytes as `HexBytes`. */
export const hex: Parameter = (args, name) => hexDigits(args.bytes(name))

/** Parses the declared arguments of a route and ignores all others. */
export function readParameters(
  parameters: Readonly<Record<string, Parameter>>,
  args: Arguments,
): CometParams {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, read]) => [name, read(args, name)]),
  )
}
