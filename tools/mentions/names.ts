import { CONSENSUS_ROUTES } from '../../host/api/rpc/consensus/routes.ts'
import { METHODS } from '../../host/api/rpc/methods.ts'
import { OTHER_VARIABLES } from '../../host/base/config/environment.ts'
import {
  CONFIG_ENTRIES,
  LIST_ENTRIES,
  normalizeName,
  REPLACED_KEYS,
} from '../../host/base/config/schema.ts'
import { ERRORS } from '../../host/base/error-table.ts'
import { METRICS } from '../../host/base/metrics/metric-table.ts'

const VARIABLES = new Set([
  ...CONFIG_ENTRIES.map(({ variable }) => variable),
  ...Object.keys(OTHER_VARIABLES),
])
const FLAGS = new Set(CONFIG_ENTRIES.map(({ flag }) => flag))
const KEYS = new Set(CONFIG_ENTRIES.map(({ name }) => normalizeName(name)))
/** Keys of tables that may occur repeatedly, by the header of such a table. */
const LISTS = new Map(LIST_ENTRIES.map(({ header, keys }) => [header, new Set(Object.keys(keys))]))
const SECTIONS = new Set(CONFIG_ENTRIES.map(({ section }) => section))
const METRIC_NAMES = Object.keys(METRICS)
const METHOD_NAMES: ReadonlySet<string> = new Set([
  ...METHODS.map(({ name }) => name),
  ...CONSENSUS_ROUTES.keys(),
])

/** First words of app.toml keys with several words: a name that begins with one is meant as a key. */
const KEY_PREFIX =
  /^(evm-ss|ss|sc|min-retain|snapshot|max_(client|trace|request|log|blocks|open|subscriptions|state|concurrent)|trace_(allow|cache|timeout|workers)|http|ws|simulation)[-_]/

/** Returns what is wrong with a name between code marks, or undefined if it is known or foreign. */
export function nameFault(text: string): string | undefined {
  const setting = /^(?:\[([\w.-]+)\] )?([a-z][\w-]*) *= *\S/.exec(text)
  if (setting !== null) return settingFault(setting[1], setting[2] ?? '')
  if (/^LOCKSTEP_[A-Z0-9_]+$/.test(text)) {
    const isKnown = VARIABLES.has(text) || text === 'LOCKSTEP_SECTION_KEY' || text.endsWith('_')
    return isKnown ? undefined : 'no environment variable of this name'
  }
  if (/^[A-Z]+(_[A-Z]+)+$/.test(text)) return undefined
  const metric = /^(lockstep_\w+?)(_(?:bucket|sum|count))?(\*?)$/.exec(text)
  if (metric !== null) {
    const [, name = '', , star] = metric
    const isKnown = METRIC_NAMES.some((known) =>
      star === '' ? known === name : known.startsWith(name),
    )
    return isKnown ? undefined : 'no metric of this name'
  }
  const section = /^([a-z-]+)\.([a-z][a-z_-]+)$/.exec(text)
  if (section !== null && SECTIONS.has(section[1] ?? '')) {
    const isKnown = FLAGS.has(normalizeName(text)) || LISTS.has(text)
    return isKnown ? undefined : 'no configuration key of this name'
  }
  if (KEY_PREFIX.test(text) && /^[a-z][a-z_-]+$/.test(text)) {
    const isKnown = KEYS.has(normalizeName(text)) || REPLACED_KEYS.has(normalizeName(text))
    return isKnown ? undefined : 'no configuration key of this name'
  }
  if (/^(eth|debug|net|web3|txpool|rpc)_[a-zA-Z0-9]+$/.test(text)) {
    return METHOD_NAMES.has(text) ? undefined : 'no method of this name'
  }
  return undefined
}

function settingFault(section: string | undefined, name: string): string | undefined {
  const key = normalizeName(name)
  if (section === undefined) {
    // A lone setting may belong to another program.
    return KEYS.has(key) || !KEY_PREFIX.test(name) ? undefined : 'no configuration key of this name'
  }
  const list = LISTS.get(section)
  if (list !== undefined) return list.has(key) ? undefined : 'no configuration key of this name'
  const flag = section === '' ? key : `${section}.${key}`
  return FLAGS.has(flag) ? undefined : 'no configuration key of this name'
}

/** Returns whether a text in capitals is an error code. */
export function isErrorCode(text: string): boolean {
  return Object.hasOwn(ERRORS, text)
}
