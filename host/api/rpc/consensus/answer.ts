import { LockstepError } from '../../../base/error.ts'
import { RouteArguments } from './arguments.ts'
import type { RouteCaller } from './context.ts'
import { failure, type RpcId, type RpcResponse, success } from './response.ts'
import type { ConsensusRoute, ServedRoutes } from './route.ts'

export function invalidRequest(text: string): LockstepError {
  return new LockstepError('INVALID_REQUEST', text)
}

/** Calls a route. */
export async function answerRoute<Context>(
  context: Context,
  route: ConsensusRoute<Context>,
  id: RpcId,
  values: ReadonlyMap<string, unknown>,
  caller: RouteCaller,
): Promise<RpcResponse> {
  try {
    const response = success(id, await route.call(context, new RouteArguments(values), caller, id))
    const error = route.check?.(context)
    return error === undefined ? response : { ...response, error }
  } catch (thrown) {
    return failure(id, thrown)
  }
}

/** Returns the params by name; an array lists them in the order of the route's names. */
function paramValues(
  route: Pick<ConsensusRoute<never>, 'params'>,
  params: unknown,
): ReadonlyMap<string, unknown> {
  if (params === undefined || params === null) return new Map()
  if (Array.isArray(params)) {
    if (params.length > route.params.length) {
      throw new LockstepError(
        'INVALID_ARGUMENT',
        `expected ${route.params.length} params, got ${params.length}`,
      )
    }
    return new Map(params.map((value, i) => [route.params[i] as string, value]))
  }
  if (typeof params !== 'object') {
    throw new LockstepError('INVALID_ARGUMENT', 'params must be an object or an array')
  }
  return new Map(Object.entries(params))
}

/** Returns the response to one JSON-RPC request, or undefined for a notification. */
export async function answer<Context>(
  { context, routes }: ServedRoutes<Context>,
  request: unknown,
  caller: RouteCaller,
): Promise<RpcResponse | undefined> {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    return failure(null, invalidRequest('a request must be an object'))
  }
  const { id, method, params } = request as { id?: unknown; method?: unknown; params?: unknown }
  if (id === undefined) return undefined
  if (id !== null && typeof id !== 'string' && typeof id !== 'number') {
    return failure(null, invalidRequest('id must be a string, a number or null'))
  }
  if (typeof method !== 'string') return failure(id, invalidRequest('method must be a string'))
  const route = routes.get(method)
  if (route === undefined) {
    return failure(id, new LockstepError('METHOD_NOT_FOUND', `no method ${method}`))
  }
  try {
    return await answerRoute(context, route, id, paramValues(route, params), caller)
  } catch (thrown) {
    return failure(id, thrown)
  }
}
