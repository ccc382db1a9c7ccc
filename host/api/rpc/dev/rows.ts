import type { MethodParameter } from '../argument/parameter.ts'
import { type Method, type MethodArguments, method } from '../call/method.ts'
import type { MethodCall } from '../call/rpc-call.ts'

interface Row<Params extends readonly MethodParameter[]> {
  readonly params: Params
  readonly result: string
  readonly hasOwnTimeLimit?: boolean
  readonly run: (call: MethodCall, ...args: MethodArguments<Params>) => unknown
}

/** Defines a development method under each of its names. */
export function aliasedMethods<const Params extends readonly MethodParameter[]>(
  names: readonly string[],
  row: Row<Params>,
): Method[] {
  return names.map((name) => method(name, { dev: true, ...row }))
}

/**
 * Defines a method without a result, under each of its names. The names of anvil return null, those of Hardhat and
 * Ganache true.
 */
export function aliasedCommands<const Params extends readonly MethodParameter[]>(
  names: readonly string[],
  { params, result, run, ...rest }: Row<Params>,
): Method[] {
  return names.map((name) => {
    const answer = /^(anvil|tenderly)_/.test(name) ? null : true
    return method(name, {
      dev: true,
      ...rest,
      params,
      result: `null (anvil_, tenderly_) or true: ${result}`,
      run: async (call, ...args) => {
        await run(call, ...(args as MethodArguments<Params>))
        return answer
      },
    })
  })
}
