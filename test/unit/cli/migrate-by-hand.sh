# The contract's procedure as an operator types it. NODE_HOME, PRIMARY, CHAIN_ID, MONIKER, SAFE and NODE_PID are set,
# and lockstep is a command.

# 1. Stop the node service.
kill "$NODE_PID"
while kill -0 "$NODE_PID" 2>/dev/null; do sleep 0.1; done

# 2. Copy three files to a safe place.
mkdir -p "$SAFE"
cp "$NODE_HOME/data/priv_validator_state.json" "$SAFE"
cp "$NODE_HOME/config/priv_validator_key.json" "$SAFE"
cp "$NODE_HOME/config/genesis.json" "$SAFE"

# 3. Delete data, wasm, the key, the genesis and config.toml.
rm -rf "$NODE_HOME"/data/*
rm -rf "$NODE_HOME/wasm"
rm -rf "$NODE_HOME/config/priv_validator_key.json"
rm -rf "$NODE_HOME/config/genesis.json"
rm -rf "$NODE_HOME/config/config.toml"

# 4. Write the home again, and set the split.
lockstep init --chain-id "$CHAIN_ID" "$MONIKER" --home "$NODE_HOME"
sed -i 's/^evm-ss-split = .*/evm-ss-split = true/' "$NODE_HOME/config/app.toml"
sed -i 's/^ss-backend = .*/ss-backend = "pebbledb"/' "$NODE_HOME/config/app.toml"

# 5. Trust a block of the primary, and set the state sync and the peers.
LATEST=$(curl -s "$PRIMARY/status" | jq -r .result.sync_info.latest_block_height)
DELTA=10000
if [ "$LATEST" -gt "$DELTA" ]; then HEIGHT=$((LATEST - DELTA)); else HEIGHT=$LATEST; fi
HASH=$(curl -s "$PRIMARY/block?height=$HEIGHT" | jq -r .result.block_id.hash)
PEERS=$(curl -s "$PRIMARY/net_info" | jq -r '.result.peers[].url' | paste -s -d, -)
sed -i "s|^rpc-servers *=.*|rpc-servers = \"$PRIMARY,$PRIMARY\"|" "$NODE_HOME/config/config.toml"
sed -i "s|^trust-height *=.*|trust-height = $HEIGHT|" "$NODE_HOME/config/config.toml"
sed -i "s|^trust-hash *=.*|trust-hash = \"$HASH\"|" "$NODE_HOME/config/config.toml"
sed -i "s|^persistent-peers *=.*|persistent-peers = \"$PEERS\"|" "$NODE_HOME/config/config.toml"
sed -i 's|^enable *=.*|enable = true|' "$NODE_HOME/config/config.toml"

# 6. Put the three files back.
cp "$SAFE/priv_validator_state.json" "$NODE_HOME/data/priv_validator_state.json"
cp "$SAFE/priv_validator_key.json" "$NODE_HOME/config/priv_validator_key.json"
cp "$SAFE/genesis.json" "$NODE_HOME/config/genesis.json"

# 7. Start the node: whoever runs this does.
