import { bytesKey } from '../../base/bytes.ts'
import type { EnterEvent, ExitEvent, TraceEvent, TraceSink } from '../../evm/engine/trace-event.ts'
import { ROLE } from '../../storage/store/address/address-rows.ts'

/** A contract created by a transaction, and its creator. */
export interface CreatedContract {
  readonly contract: Uint8Array
  readonly creator: Uint8Array
}

/** A frame in progress, which may still fail. */
interface OpenFrame {
  /** Undefined for a call. */
  readonly creation: CreatedContract | undefined
  /** Number of creations before the frame: a failure reverts all later ones. */
  readonly mark: number
}

/** Collects the roles of addresses in one transaction from its frames. */
export class CallRoles implements TraceSink {
  readonly ignoresLogs = true
  readonly #roles = new Map<string, { readonly address: Uint8Array; roles: number }>()
  readonly #creations: CreatedContract[] = []
  readonly #open: OpenFrame[] = []

  /** Contracts that exist after the transaction. */
  get creations(): readonly CreatedContract[] {
    return this.#creations
  }

  /** The addresses, each with the bitwise union of its roles. */
  get roles(): Iterable<{ readonly address: Uint8Array; readonly roles: number }> {
    return this.#roles.values()
  }

  add(address: Uint8Array, role: number): void {
    const key = bytesKey(address)
    const known = this.#roles.get(key)
    if (known !== undefined) known.roles |= role
    // Copied, because the event only lends the address.
    else this.#roles.set(key, { address: address.slice(), roles: role })
  }

  onEvent(event: TraceEvent): void {
    if (event.kind === 'enter') this.#enter(event)
    else if (event.kind === 'exit') this.#exit(event)
  }

  #enter({ type, depth, from, to }: EnterEvent): void {
    const isCreation = type === 'CREATE' || type === 'CREATE2'
    this.add(from, depth === 0 ? ROLE.SENDER : ROLE.INTERNAL_FROM)
    if (!isCreation) this.add(to, depth === 0 ? ROLE.RECIPIENT : ROLE.INTERNAL_TO)
    this.#open.push({
      creation: isCreation ? { contract: to.slice(), creator: from.slice() } : undefined,
      mark: this.#creations.length,
    })
  }

  #exit({ error }: ExitEvent): void {
    const frame = this.#open.pop()
    if (frame === undefined) return
    if (error !== undefined) {
      this.#creations.length = frame.mark
      return
    }
    const { creation } = frame
    if (creation === undefined) return
    this.add(creation.contract, ROLE.CREATED)
    this.#creations.push(creation)
  }
}
