/** A message by which operators recognise a failure of a node, with its remedy. */
export interface FailureRow {
  /** As in operators' guides; variable parts are in angle brackets. */
  readonly text: string
  /** Matches its log lines, of this node or of CometBFT. */
  readonly pattern: RegExp
  readonly cause: string
  readonly remedy: string
  /** The failure that most often causes this one, which is checked first. */
  readonly symptomOf?: string
  /** Matches a line that says that the failure is over; a later start ends it too. */
  readonly over?: RegExp
  /**
   * Matches a line that is only a warning: the node retries by itself, and reports another failure if that does not
   * help.
   */
  readonly passing?: RegExp
}

/** This node or the CometBFT supervisor writes it when a node has peers again. */
const PEERS_BACK = /\b(?:connected to peers|a server of blocks answers again)\b/

/**
 * Failures of nodes, in the order in which their causes are checked: first what does harm if it continues, then
 * faults inside the node, then what its peers report. Errors, `lockstep doctor`, ERRORS.md and the tests read this
 * table.
 */
export const FAILURES = {
  DUPLICATE_SIGNATURE: {
    text: 'Duplicate signature',
    pattern: /duplicate signature|conflicting data at height/i,
    cause: 'two processes may sign with the key of this validator',
    remedy:
      'stop the node at once, and check other machines for a node with the same key: only one may have ' +
      'config/priv_validator_key.json',
  },
  APP_HASH: {
    text: 'wrong Block.Header.AppHash. Expected <hash>, got <hash>',
    pattern: /wrong Block\.Header\.AppHash/i,
    cause:
      'the state differs from that of the chain: another version of the node, a damaged snapshot, an unclean ' +
      'shutdown, or peers of another version',
    remedy:
      'stop the node and try `lockstep rollback`; if the hash stays wrong, import a fresh snapshot into a new ' +
      'home with the version that the chain runs (`lockstep snapshot import`), and report it with app hash, ' +
      'commit hash and height: `lockstep debug collect` writes them',
  },
  DATABASE_CORRUPTED: {
    text: 'Database is corrupted',
    pattern: /database is corrupted/i,
    cause: 'the disk does not hold what was written to it',
    remedy:
      'restore a backup of the whole home, or reset it with `lockstep consensus unsafe-reset-all` and import a ' +
      'snapshot (`lockstep snapshot import`); `lockstep debug verify-db` lists what is damaged',
  },
  DATABASE_LOCKED: {
    text: 'failed to initialize database: resource temporarily unavailable',
    pattern: /resource temporarily unavailable/i,
    cause: 'a node was not shut down and still locks the home',
    remedy:
      'end the named process (`kill <pid>`; reboot if it stays), or use another --home, and repeat ' +
      'the command',
  },
  VALIDATOR_FILE: {
    text: 'Private validator file not found',
    pattern: /private validator file not found|priv_validator_key\.json: no such file/i,
    cause: "the validator's key is missing or cannot be read",
    remedy: 'restore config/priv_validator_key.json, or fix its permissions (chmod 600)',
  },
  CONSENSUS_HALTED: {
    text: 'Consensus failure - height halted',
    pattern: /consensus failure/i,
    cause: 'the chain waits for an upgrade or has halted, or this node cannot continue',
    remedy:
      'check for an upgrade or a halt of the chain, start the node again and run `lockstep status`; ' +
      '`lockstep doctor` lists what else is wrong',
  },
  HANDSHAKE_ID: {
    text: 'failed to handshake with peer',
    pattern:
      /failed to handshake with peer|expected to connect with peer|auth failure: conn\.ID .* mismatch/i,
    cause: 'the list of peers is stale: another node answers at the address',
    remedy: "write the peer's current id into [p2p] persistent-peers of config/config.toml",
  },
  DIAL_REFUSED: {
    text: 'Dial tcp connection refused',
    pattern: /dial tcp\b.*connection refused|ECONNREFUSED/i,
    over: PEERS_BACK,
    // Nodes of a network start one after the other, and CometBFT dials again.
    passing: /Error dialing (?:peer|seed)/,
    cause: 'nothing listens at the address of the other node, or a firewall blocks it',
    remedy: 'check the address, that the other node runs, and the firewall between the two',
    symptomOf: 'APP_HASH',
  },
  NO_PEERS: {
    text: 'No peers available',
    pattern: /no peers available/i,
    over: PEERS_BACK,
    cause: 'no other node can be reached',
    remedy:
      'check peers and their addresses through /net_info (`curl http://127.0.0.1:26657/net_info`)',
    symptomOf: 'APP_HASH',
  },
  NO_PEX_PEERS: {
    text: 'failed to send request for peers: no available peers to send a PEX request to',
    // The second and third alternatives are CometBFT 0.38's messages for the same failure.
    pattern:
      /no available peers to send a PEX request to|couldn't connect to any seeds|no addresses to dial\. falling back to seeds/i,
    over: PEERS_BACK,
    cause: 'there is no peer to ask for others: every peer has disconnected, or none is reachable',
    remedy: 'check the log for a wrong app hash first; else check [p2p] persistent-peers',
    symptomOf: 'APP_HASH',
  },
  HANDSHAKE_EOF: {
    text: 'peer handshake failed ... err=EOF',
    // CometBFT 0.38 reports it as an authentication failure.
    pattern:
      /peer handshake failed.*\bEOF\b|auth failure: (?:secret conn|handshake) failed: .*(?:\bEOF\b|connection reset by peer|broken pipe)/i,
    cause: 'the peer has closed the connection',
    remedy: 'check the log for a wrong app hash first; else check that both run the same version',
    symptomOf: 'APP_HASH',
  },
} as const satisfies Record<string, FailureRow>

export type FailureName = keyof typeof FAILURES
