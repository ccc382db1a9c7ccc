import { hexDigits } from '../../../../base/hex.ts'
import type { CometParams } from '../../../../chain/consensus/cometbft/comet-rpc.ts'
import type { Arguments } from '../arguments.ts'
import { formatBytes } from '../json.ts'

/** Reads an argument and writes it in CometBFT's JSON; undefined where it is absent. @throws INVALID_ARGUMENT */
export type Parameter = (args: Arguments, name: string) => unknown

/** Integers are texts. */
export const integer: Parameter = (args, name) => args.integer(name)?.toString()

export const text: Parameter = (args, name) => args.text(name)

export const boolean: Parameter = (args, name) => args.boolean(name)

export const json: Parameter = (args, name) => args.json(name)

/** A hash as `[]byte`, which is base64. */
export const hash: Parameter = (args, name) => formatBytes(args.hash(name))

/** A hash as `HexBytes`. */
export const hexHash: Parameter = (args, name) => hexDigits(args.hash(name))

/** Bytes as `HexBytes`. */
export const hex: Parameter = (args, name) => hexDigits(args.bytes(name))

/** Reads the arguments of a route, and nothing else. */
export function readParameters(
  parameters: Readonly<Record<string, Parameter>>,
  args: Arguments,
): CometParams {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, read]) => [name, read(args, name)]),
  )
}
