/** A text by which operators know what is wrong with a node, with what to do about it. */
export interface FailureRow {
  /** As operators' guides have it; what differs from case to case stands between angle brackets. */
  readonly text: string
  /** Finds it in a line of a log, of this node or of CometBFT's. */
  readonly pattern: RegExp
  readonly cause: string
  readonly remedy: string
  /** The failure of which this one is most often a consequence: that is looked for first. */
  readonly symptomOf?: string
  /** Finds a line that says that the failure is over, beside a later start. */
  readonly over?: RegExp
  /** Finds a line of it that is a warning: the node goes on trying by itself, and has another failure for the rest. */
  readonly passing?: RegExp
}

/** A node of the own chain or CometBFT's watch writes it once a node is alone no more. */
const PEERS_BACK = /\b(?:connected to peers|a server of blocks answers again)\b/

/**
 * The failures of nodes, in the order in which their causes are looked for: what may do harm by going on comes first,
 * then what is wrong inside the node, then what its peers say of it. Errors, `lockstep doctor`, ERRORS.md and the
 * tests read this table.
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
      'the state is not that of the chain: another version of the node, a damaged snapshot, an end without a ' +
      'clean stop, or peers of another version',
    remedy:
      'stop the node and try `lockstep rollback`; where the hash stays wrong, import a fresh snapshot into a new ' +
      'home with the version that the chain runs (`lockstep snapshot import`), and report it with app hash, ' +
      'commit hash and height: `lockstep debug collect` writes them',
  },
  DATABASE_CORRUPTED: {
    text: 'Database is corrupted',
    pattern: /database is corrupted/i,
    cause: 'what is on the disk is not what was written there',
    remedy:
      'restore a backup of the whole home, or reset it with `lockstep consensus unsafe-reset-all` and import a ' +
      'snapshot (`lockstep snapshot import`); `lockstep debug verify-db` names what is damaged',
  },
  DATABASE_LOCKED: {
    text: 'failed to initialize database: resource temporarily unavailable',
    pattern: /resource temporarily unavailable/i,
    cause: 'a node was not shut down and still has the home',
    remedy:
      'end the process that is named (`kill <pid>`; reboot if it stays), or use another --home, and repeat ' +
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
    cause: 'the chain waits for an upgrade or has halted, or this node cannot go on',
    remedy:
      'check for an upgrade or a halt of the chain, start the node again and run `lockstep status`; ' +
      '`lockstep doctor` names what else is wrong',
  },
  HANDSHAKE_ID: {
    text: 'failed to handshake with peer',
    pattern:
      /failed to handshake with peer|expected to connect with peer|auth failure: conn\.ID .* mismatch/i,
    cause: 'the list of peers is stale: another node answers at the address',
    remedy: 'write the id that the peer has now into [p2p] persistent-peers of config/config.toml',
  },
  DIAL_REFUSED: {
    text: 'Dial tcp connection refused',
    pattern: /dial tcp\b.*connection refused|ECONNREFUSED/i,
    over: PEERS_BACK,
    // The nodes of a network start one after the other, and CometBFT dials again.
    passing: /Error dialing (?:peer|seed)/,
    cause: 'nothing listens at the address of the other node, or a firewall closes it',
    remedy: 'check the address, that the other node runs, and the firewall between the two',
    symptomOf: 'APP_HASH',
  },
  NO_PEERS: {
    text: 'No peers available',
    pattern: /no peers available/i,
    over: PEERS_BACK,
    cause: 'no other node can be reached',
    remedy:
      'check peers through /net_info (`curl http://127.0.0.1:26657/net_info`) and the addresses they have',
    symptomOf: 'APP_HASH',
  },
  NO_PEX_PEERS: {
    text: 'failed to send request for peers: no available peers to send a PEX request to',
    // The second and the third are CometBFT 0.38's, for the same.
    pattern:
      /no available peers to send a PEX request to|couldn't connect to any seeds|no addresses to dial\. falling back to seeds/i,
    over: PEERS_BACK,
    cause:
      'there is no peer to ask for others: every one has ended the connection, or none is reached',
    remedy: 'look for a wrong app hash in the log first; else check [p2p] persistent-peers',
    symptomOf: 'APP_HASH',
  },
  HANDSHAKE_EOF: {
    text: 'peer handshake failed ... err=EOF',
    // CometBFT 0.38 calls it a failure of authentication.
    pattern:
      /peer handshake failed.*\bEOF\b|auth failure: (?:secret conn|handshake) failed: .*(?:\bEOF\b|connection reset by peer|broken pipe)/i,
    cause: 'the peer has ended the connection',
    remedy: 'look for a wrong app hash in the log first; else check that both run the same version',
    symptomOf: 'APP_HASH',
  },
} as const satisfies Record<string, FailureRow>

export type FailureName = keyof typeof FAILURES
