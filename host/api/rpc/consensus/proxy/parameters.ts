import { hexDigits } from '../../../../base/hex.ts'
import type { CometParams } from '../../../../chain/consensus/cometbft/comet-rpc.ts'
import type { RouteArguments } from '../arguments.ts'
import { formatBytes } from '../json.ts'

/** Parses an argument and encodes it in CometBFT's JSON; undefined if absent. @throws INVALID_ARGUMENT */
export type RouteParameter = (args: RouteArguments, name: string) => unknown

/** Integers are JSON strings. */
export const integerParameter: RouteParameter = (args, name) => args.integer(name)?.toString()

export const textParameter: RouteParameter = (args, name) => args.text(name)

export const booleanParameter: RouteParameter = (args, name) => args.boolean(name)

export const json: RouteParameter = (args, name) => args.json(name)

/** A hash as `[]byte`, encoded in base64. */
export const hashParameter: RouteParameter = (args, name) => formatBytes(args.hash(name))

/** A hash as `HexBytes`. */
export const hexHashParameter: RouteParameter = (args, name) => hexDigits(args.hash(name))

/** Bytes as `HexBytes`. */
export const hexParameter: RouteParameter = (args, name) => hexDigits(args.bytes(name))

/** Parses the declared arguments of a route and ignores all others. */
export function readParameters(
  parameters: Readonly<Record<string, RouteParameter>>,
  args: RouteArguments,
): CometParams {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, read]) => [name, read(args, name)]),
  )
}
