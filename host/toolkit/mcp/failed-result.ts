import type { CallToolResult } from '@modelcontextprotocol/server'
import { ActionError } from '../action-error.ts'
import { plainText } from '../plain-text.ts'

/** Characters shown of a text detail. */
const MOST_CHARACTERS = 200

/**
 * Returns details with a single value, such as a hash or `moneyMoved`. Lists of rules are for programs in the
 * process.
 */
function shownDetails(details: Readonly<Record<string, unknown>>): string | undefined {
  const shown = Object.entries(details).flatMap(([name, value]) => {
    if (typeof value === 'string') return [[name, plainText(value, MOST_CHARACTERS)] as const]
    return ['number', 'boolean'].includes(typeof value) ? [[name, value] as const] : []
  })
  return shown.length === 0 ? undefined : JSON.stringify(Object.fromEntries(shown))
}

/**
 * Returns a failed call as text only. Published clients validate `structuredContent` against the tool's output schema
 * even with `isError` and discard a result that does not match, error included.
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
