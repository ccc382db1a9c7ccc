import { type ReadonlySignal, signal } from '@preact/signals'
import { LockstepError } from '../../../base/error.ts'
import type { Hex } from '../../../base/hex.ts'
import { type PlainError, toPlainError } from '../../../base/plain-error.ts'
import type { AsyncStateView } from '../../../evm/state/view.ts'
import { describeDifference } from '../../../evm/trace/bundle/difference.ts'
import type { BundleSource } from '../../browser/bundle-source.ts'
import { openBundle } from '../../browser/open-bundle.ts'
import { openStepper } from '../../browser/open-stepper.ts'
import type { NodeBundle } from '../../browser/source/node-bundle.ts'
import { stateOfNode } from '../../browser/source/state-of-node.ts'
import type { UploadedArtifacts } from '../sources/uploaded-artifacts.ts'
import { CREATION, isSamePage } from '../view/page.ts'
import type { View } from '../view/view.ts'
import type { ViewLocation } from '../view/view-location.ts'
import type { AskedNode } from './asked-node.ts'
import { parseChanges } from './debug/change-text.ts'
import { unpackBundle } from './link-bundle.ts'
import { openSimulated } from './open-simulated.ts'
import { OpenedRun, type RunSource } from './opened-run.ts'

/** The progress of opening the transaction of the view. */
export type Opening =
  /** The view has no transaction. */
  | { readonly kind: 'none' }
  /** The bundle of the link was a file, which a link cannot hold. */
  | { readonly kind: 'file-needed' }
  /** `doing` says at what, for people: "Asking the node". */
  | { readonly kind: 'opening'; readonly doing: string }
  | { readonly kind: 'failed'; readonly error: PlainError }
  | { readonly kind: 'open'; readonly run: OpenedRun }

/** The inputs that decide which run is open. */
interface Wanted {
  readonly page: View['page']
  readonly index: number | undefined
  readonly bundle: string
  readonly node: AskedNode | undefined
  /** Number of the last opened file. */
  readonly file: number
  /** The call of a call page, and its block. */
  readonly call: string
  readonly at: number | undefined
}

interface FoundBundle {
  readonly source: BundleSource
  /** Oddities, a sentence each. */
  readonly notes: readonly string[]
}

/** Opens the transaction that the view names, and keeps it open. */
export class RunOpener {
  readonly opening: ReadonlySignal<Opening>
  readonly #location: ViewLocation
  readonly #knowledge: UploadedArtifacts
  readonly #opening = signal<Opening>({ kind: 'none' })
  #wanted: Wanted | undefined
  #abort = new AbortController()
  #file: { readonly source: Blob; readonly number: number } | undefined

  constructor(location: ViewLocation, knowledge: UploadedArtifacts) {
    this.#location = location
    this.#knowledge = knowledge
    this.opening = this.#opening
  }

  /** Opens the view's transaction, unless it is open. */
  follow({ page, index, bundle, with: call, at }: View, node: AskedNode | undefined): void {
    const isCall = page.kind === 'call'
    const isRun = page.kind === 'tx' || page.kind === 'bundle' || (isCall && call !== '')
    // A hash identifies a transaction, so only its node matters; for a bundle only its own parameters matter.
    const wanted: Wanted = {
      page,
      index: page.kind === 'bundle' ? index : undefined,
      bundle: page.kind === 'bundle' ? bundle : '',
      node: page.kind === 'tx' || isCall ? node : undefined,
      call: isCall ? call : '',
      at: isCall ? at : undefined,
      file: page.kind === 'bundle' ? (this.#file?.number ?? 0) : 0,
    }
    if (this.#wanted !== undefined && isSame(this.#wanted, wanted)) return
    this.#wanted = wanted
    this.#abort.abort()
    this.#abort = new AbortController()
    const before = this.#opening.peek()
    if (before.kind === 'open') before.run.close()
    this.#knowledge.follow(undefined)
    if (!isRun) {
      this.#opening.value = { kind: 'none' }
      return
    }
    void this.#open(wanted, this.#abort.signal)
  }

  /** Uses a file as the bundle of the bundle page. */
  openFile(source: Blob, node: AskedNode | undefined): void {
    this.#file = { source, number: (this.#file?.number ?? 0) + 1 }
    this.#location.go({ page: { kind: 'bundle' } })
    this.follow(this.#location.view.peek(), node)
  }

  /** Returns the open bundle as text; undefined if it came from a node. */
  async fileText(): Promise<string | undefined> {
    return this.#file?.source.text()
  }

  async #open(wanted: Wanted, signal: AbortSignal): Promise<void> {
    try {
      const isCall = wanted.page.kind === 'call'
      const source = await (isCall
        ? this.#simulated(wanted, signal)
        : this.#recorded(wanted, signal))
      if (signal.aborted) {
        source?.bundle.close()
        return
      }
      if (source === undefined) {
        this.#opening.value = { kind: 'file-needed' }
        return
      }
      const run = new OpenedRun(this.#location, source, this.#knowledge)
      this.#knowledge.follow(run)
      this.#opening.value = { kind: 'open', run }
    } catch (thrown) {
      if (!signal.aborted) this.#opening.value = { kind: 'failed', error: toPlainError(thrown) }
    }
  }

  /** Opens the call of a call page. */
  async #simulated({ page, node, call, at }: Wanted, signal: AbortSignal): Promise<RunSource> {
    if (node === undefined) {
      throw new LockstepError('INVALID_ARGUMENT', 'there is no node whose state the call can use', {
        hint: 'name one under “Node…”',
      })
    }
    this.#opening.value = {
      kind: 'opening',
      doing: `Running it on the state of ${node.reader.name}`,
    }
    const to = page.kind === 'call' && page.to !== CREATION ? (page.to as Hex) : null
    return openSimulated(node, { to, at, changes: parseChanges(call) }, signal)
  }

  /** Opens a recorded transaction; undefined if its file is missing. */
  async #recorded(wanted: Wanted, signal: AbortSignal): Promise<RunSource | undefined> {
    const found = await this.#source(wanted, signal)
    if (found === undefined || signal.aborted) return undefined
    this.#opening.value = { kind: 'opening', doing: 'Reading the bundle' }
    const { page, index } = wanted
    const named = page.kind === 'tx' ? { hash: page.hash } : { index }
    const opened = await openRun(found.source, named, signal)
    return {
      ...opened,
      notes: found.notes,
      before: stateBefore(opened, wanted),
      after: stateAfter(opened, wanted),
    }
  }

  async #source(
    { page, bundle, node }: Wanted,
    signal: AbortSignal,
  ): Promise<FoundBundle | undefined> {
    if (page.kind === 'bundle') {
      const source = bundle === '' ? this.#file?.source : await unpackBundle(bundle)
      return source === undefined ? undefined : { source, notes: [] }
    }
    if (page.kind !== 'tx') return undefined
    if (node === undefined) {
      throw new LockstepError('INVALID_ARGUMENT', 'there is no node to ask for the transaction', {
        hint: 'name one under “Node…”, or drop the bundle of the transaction on this page',
      })
    }
    this.#opening.value = { kind: 'opening', doing: `Asking ${node.reader.name}` }
    const { document, notes, difference } = await bundleOf(node.url, page.hash, signal)
    const differs =
      difference === undefined
        ? []
        : [`It runs differently here than on the node: ${describeDifference(difference)}.`]
    return { source: document, notes: [...differs, ...notes] }
  }
}

/** The parent's state is valid only for the first transaction of a block. */
function stateBefore(
  { bundle, index }: RunSource,
  { page, node }: Wanted,
): AsyncStateView | undefined {
  const isFirst = bundle.transactions[index]?.index === 0
  if (page.kind !== 'tx' || node === undefined || !isFirst) return undefined
  return stateOfNode(node.url, bundle.block.number - 1)
}

/** What the transaction did not read is taken from the end of its block. */
function stateAfter({ bundle }: RunSource, { page, node }: Wanted): AsyncStateView | undefined {
  if (page.kind !== 'tx' || node === undefined) return undefined
  return stateOfNode(node.url, bundle.block.number)
}

/** The code that builds bundles from node responses is loaded on first use. */
async function bundleOf(url: string, hash: string, signal: AbortSignal): Promise<NodeBundle> {
  const { bundleFromNode } = await import('../../browser/source/bundle-from-node.ts')
  return bundleFromNode(url, hash, { signal })
}

function isSame(a: Wanted, b: Wanted): boolean {
  return (
    a.page.kind === b.page.kind &&
    (a.page.kind === 'bundle' || isSamePage(a.page, b.page)) &&
    a.index === b.index &&
    a.bundle === b.bundle &&
    a.node === b.node &&
    a.file === b.file &&
    a.call === b.call &&
    a.at === b.at
  )
}

/**
 * Opens a transaction of a bundle, by `hash` or else by `index`.
 * @throws BUNDLE_INVALID, NOT_FOUND, ENGINE_FAULT
 */
async function openRun(
  source: BundleSource,
  wanted: { readonly hash?: string; readonly index?: number | undefined },
  signal: AbortSignal,
): Promise<RunSource> {
  const bundle = await openBundle(source, { signal })
  try {
    const { transactions } = bundle
    const index =
      wanted.hash === undefined
        ? (wanted.index ?? 0)
        : transactions.findIndex(({ hash }) => hash === wanted.hash)
    if (transactions[index] === undefined) {
      throw new LockstepError(
        'NOT_FOUND',
        `the bundle has ${transactions.length} transactions, and not ${wanted.hash ?? `one at index ${index}`}`,
        { hint: 'open the bundle of that transaction, or choose one that it contains' },
      )
    }
    return { bundle, index, stepper: await openStepper(bundle, index, { signal }) }
  } catch (thrown) {
    bundle.close()
    throw thrown
  }
}
