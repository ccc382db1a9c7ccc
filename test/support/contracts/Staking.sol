// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

struct Balance {
    uint256 amount;
    string denom;
}

struct DelegationDetails {
    string delegator_address;
    uint256 shares;
    uint256 decimals;
    string validator_address;
}

struct Delegation {
    Balance balance;
    DelegationDetails delegation;
}

interface IStaking {
    function delegate(string memory valAddress) external payable returns (bool success);
    function redelegate(string memory srcAddress, string memory dstAddress, uint256 amount) external returns (bool success);
    function undelegate(string memory valAddress, uint256 amount) external returns (bool success);
    function createValidator(
        string memory pubKeyHex,
        string memory moniker,
        string memory commissionRate,
        string memory commissionMaxRate,
        string memory commissionMaxChangeRate,
        uint256 minSelfDelegation
    ) external payable returns (bool success);
    function editValidator(string memory moniker, string memory commissionRate, uint256 minSelfDelegation) external returns (bool success);
    function delegation(address delegator, string memory valAddress) external view returns (Delegation memory delegation);
}

/// Stakes in its own name: each function of the ABI, by Solidity's own calls.
contract Staker {
    IStaking constant STAKING = IStaking(address(0x1005));

    receive() external payable {}

    function delegate(string calldata validator, uint256 value) external {
        require(STAKING.delegate{value: value}(validator));
    }

    function undelegate(string calldata validator, uint256 amount) external {
        require(STAKING.undelegate(validator, amount));
    }

    function redelegate(string calldata from, string calldata to, uint256 amount) external {
        require(STAKING.redelegate(from, to, amount));
    }

    function create(string calldata key, string calldata moniker, uint256 value, uint256 least) external {
        require(STAKING.createValidator{value: value}(key, moniker, "0.05", "0.2", "0.01", least));
    }

    function edit(string calldata moniker, string calldata rate, uint256 least) external {
        require(STAKING.editValidator(moniker, rate, least));
    }

    function bonded(string calldata validator) external view returns (uint256 amount, uint256 shares, string memory denom) {
        Delegation memory held = STAKING.delegation(address(this), validator);
        return (held.balance.amount, held.delegation.shares / 10 ** held.delegation.decimals, held.balance.denom);
    }
}

struct Step {
    address target;
    uint256 value;
    bytes data;
    bool isUndone;
}

/// Performs calls one after another in its own name; those that fail, and those that are to be undone, leave nothing.
contract Brancher {
    receive() external payable {}

    function run(Step[] calldata steps) external payable {
        for (uint256 i = 0; i < steps.length; i++) {
            if (steps[i].isUndone) {
                try this.undo(steps[i]) {} catch {}
            } else {
                // What comes of it is compared in the state.
                (bool success, ) = steps[i].target.call{value: steps[i].value}(steps[i].data);
                success;
            }
        }
    }

    function undo(Step calldata step) external {
        (bool success, ) = step.target.call{value: step.value}(step.data);
        success;
        revert("undone");
    }
}
