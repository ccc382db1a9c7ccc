import type { CallToolResult } from '@modelcontextprotocol/server'
import { ActionError } from '../action-error.ts'
import { plainText } from '../plain-text.ts'

/** Of each detail that is a text. */
const MOST_CHARACTERS = 200

/** Details of one value each, such as a hash or whether money moved; lists of rules are for programs in the process. */
function shownDetails(details: Readonly<Record<string, unknown>>): string | undefined {
  const shown = Object.entries(details).flatMap(([name, value]) => {
    if (typeof value === 'string') return [[name, plainText(value, MOST_CHARACTERS)] as const]
    return ['number', 'boolean'].includes(typeof value) ? [[name, value] as const] : []
  })
  return shown.length === 0 ? undefined : JSON.stringify(Object.fromEntries(shown))
}

/**
 * A failed call, as text alone. Published clients hold `structuredContent` against the output schema of the tool even
 * when `isError` is set, and throw the whole result away if it does not fit: the agent would not learn what failed.
 */
export function failedResult(error: unknown): CallToolResult {
  const failure =
    error instanceof ActionError ? error : new ActionError('INTERNAL', 'the call failed')
  const { code, message, next, details } = failure
  const shown = shownDetails(details)
  const lines = [`${code}: ${message}`, `Next: ${next}`]
  const text = [...lines, ...(shown === undefined ? [] : [`Details: ${shown}`])].join('\n')
  return { isError: true, content: [{ type: 'text', text }] }
}
