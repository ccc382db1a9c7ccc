import { DEV_ACCOUNTS } from '../../../../../host/base/dev-accounts.ts'
import type {
  AmendmentMaking,
  DevChain,
  DevPool,
  DevSettings,
  DevTime,
  ForkBlockId,
  ForkChoice,
  IntervalMs,
  MineRequest,
} from '../../../../../host/chain/dev/dev-chain.ts'
import { UnlockedAccounts } from '../../../../../host/chain/dev/unlocked-accounts.ts'
import { parseSecret } from '../../../../../host/evm/chain-types/account-key.ts'
import type { StateDiff } from '../../../../../host/evm/engine/state-diff.ts'
import type { StateView } from '../../../../../host/evm/state/view.ts'
import type { WrittenKeys } from '../../../../../host/evm/state/written-keys.ts'

/** Records the calls to a development chain instead of executing them. */
export class FakeDevChain implements DevChain {
  readonly done: [name: string, ...args: unknown[]][] = []
  readonly amended: StateDiff[] = []
  readonly #view: StateView
  readonly written: WrittenKeys
  automine = false
  isLogging = true
  readonly throwsOnRevert = true
  readonly slotsInAnEpoch = 0
  readonly order = 'fees'
  intervalMs: IntervalMs = 0
  fork: ForkBlockId | undefined
  readonly instanceId = new Uint8Array(32).fill(1)
  readonly accounts = new UnlockedAccounts(
    DEV_ACCOUNTS.map(({ privateKey }) => parseSecret(privateKey)),
  )
  readonly next: DevSettings = {
    baseFee: undefined,
    prevRandao: undefined,
    coinbase: undefined,
    gasLimit: undefined,
    minGasPrice: 0n,
  }
  readonly pool: DevPool = {
    drop: (hash) => this.#note('drop', hash) && hash[0] === 1,
    dropAll: () => Number(this.#note('dropAll')),
    dropOf: (sender) => Number(this.#note('dropOf', sender)),
  }
  readonly time: DevTime = this.#clock()
  readonly upcoming = { timestamp: 1001 }

  async setAutomine(isOn: boolean): Promise<void> {
    this.automine = isOn
  }

  constructor(view: StateView, written: WrittenKeys = { accounts: () => [], slots: () => [] }) {
    this.#view = view
    this.written = written
  }

  #clock(): DevTime {
    let offset = 0
    const note = (name: string, seconds: number) => this.#note(name, seconds)
    return {
      now: 1000,
      blockInterval: undefined,
      get offset() {
        return offset
      },
      increase(seconds) {
        note('increase', seconds)
        offset += seconds
        return offset
      },
      set(timestamp) {
        note('set', timestamp)
        offset = timestamp - 1000
        return offset
      },
      setNext: (timestamp) => void note('setNext', timestamp),
      setBlockInterval: (seconds) => void note('setBlockInterval', seconds),
      removeBlockInterval: () => note('removeBlockInterval', 0),
    }
  }

  #note(name: string, ...args: unknown[]): true {
    this.done.push([name, ...args])
    return true
  }

  async mine(request: MineRequest) {
    this.#note('mine', request)
    return { first: 0, last: 0 }
  }

  async amend(make: AmendmentMaking): Promise<void> {
    this.amended.push(await make(this.#view))
  }

  onAmend(): () => void {
    return () => {}
  }

  async snapshot(): Promise<bigint> {
    this.#note('snapshot')
    return 26n
  }

  async revert(id: bigint): Promise<boolean> {
    this.#note('revert', id)
    return id === 26n
  }

  async rollback(blocks: number): Promise<void> {
    this.#note('rollback', blocks)
  }

  async reset(fork?: ForkChoice): Promise<void> {
    this.#note('reset', fork)
  }
}
