// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

/// Shows what a block is made with, and keeps what it is given: helpers of development chains are seen through it.
contract Probe {
    struct Environment {
        uint256 number;
        uint256 timestamp;
        uint256 baseFee;
        address coinbase;
        uint256 prevRandao;
        uint256 gasLimit;
        uint256 chainId;
    }

    uint256 public value;
    Environment public recorded;
    mapping(address => uint256) public counts;

    event Counted(address indexed who, uint256 count);

    error Refused(address who, uint256 value);

    function environment() public view returns (Environment memory) {
        return
            Environment(
                block.number,
                block.timestamp,
                block.basefee,
                block.coinbase,
                block.prevrandao,
                block.gaslimit,
                block.chainid
            );
    }

    /// Writes the environment of its own block.
    function record() external {
        recorded = environment();
    }

    function count() external payable returns (uint256) {
        counts[msg.sender] += 1;
        emit Counted(msg.sender, counts[msg.sender]);
        return counts[msg.sender];
    }

    function set(uint256 to) external {
        value = to;
    }

    /// Of so many slots from one on: reads that a fork fetches.
    function sum(uint256 first, uint256 slots) external view returns (uint256 total) {
        for (uint256 slot = first; slot < first + slots; slot++) {
            assembly {
                total := add(total, sload(slot))
            }
        }
    }

    function refuse(uint256 what) external view {
        if (what == 0) revert("not today");
        if (what == 1) revert Refused(msg.sender, what);
        if (what == 2) assert(what == 1);
        revert();
    }
}
