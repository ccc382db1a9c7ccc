import { bytesKey } from '../../base/bytes.ts'
import type { EnterEvent, ExitEvent, TraceEvent, TraceSink } from '../../evm/engine/trace-event.ts'
import { ROLE } from '../../storage/store/address/address-rows.ts'

/** A contract that a transaction has made, and whose doing it was. */
export interface Creation {
  readonly contract: Uint8Array
  readonly creator: Uint8Array
}

/** A creation in a frame that may still fail. */
interface OpenFrame {
  /** Undefined for a call. */
  readonly creation: Creation | undefined
  /** Creations before the frame began: a failure takes back what follows. */
  readonly mark: number
}

/** Collects what addresses were to one transaction, from its frames. */
export class CallRoles implements TraceSink {
  readonly ignoresLogs = true
  readonly #roles = new Map<string, { readonly address: Uint8Array; roles: number }>()
  readonly #creations: Creation[] = []
  readonly #open: OpenFrame[] = []

  /** Contracts that the transaction leaves behind. */
  get creations(): readonly Creation[] {
    return this.#creations
  }

  /** The addresses, each with the sum of its roles. */
  get roles(): Iterable<{ readonly address: Uint8Array; readonly roles: number }> {
    return this.#roles.values()
  }

  add(address: Uint8Array, role: number): void {
    const key = bytesKey(address)
    const known = this.#roles.get(key)
    if (known !== undefined) known.roles |= role
    // Copied: what an event shows is only borrowed
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
