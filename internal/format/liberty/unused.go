package liberty

import "strings"

// unusedGroup knows the groups of the standard, and of its usual extensions, that nothing here uses.
func unusedGroup(name string) bool {
	if unusedGroups[name] {
		return true
	}
	for _, prefix := range unusedPrefixes {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

var unusedPrefixes = []string{
	"ccsn_", "ecsm_", "output_current_", "receiver_capacitance", "normalized_", "compact_", "noise_", "propagated_noise_",
	"ocv_", "pg_current", "dc_current", "leakage_current", "dynamic_current", "intrinsic_", "input_ccb",
	"output_ccb", "rise_propagation", "fall_propagation", "retaining_", "retain_", "steady_state_", "va_", "base_curves",
	"iv_lut", "poly_", "min_pulse_width", "minimum_period", "electromigration", "em_", "maxcap_", "maxtrans_",
	"sensitization", "pin_capacitance", "mode_", "lut_values", "char_config", "variation", "timing_based_", "stage_",
	"std_dev", "user_parameters", "waveform_", "hyperbolic_",
}

var unusedGroups = map[string]bool{
	"rise_constraint": true, "fall_constraint": true, "input_voltage": true, "output_voltage": true,
	"power_supply": true, "fpga_isd": true, "part": true, "wire_load_table": true, "scaled_cell": true,
	"scaling_factors": true, "rise_net_delay": true, "fall_net_delay": true, "rise_transition_degradation": true,
	"fall_transition_degradation": true, "cell_degradation": true, "tlatch": true, "hold": true, "bist": true,
	"power": true, "rise_power": true, "fall_power": true, "gate_leakage": true, "mode_definition": true, "mode_value": true,
	"memory_read": true, "memory_write": true, "lut": true, "routing_track": true, "generated_clock": true,
	"clear_condition": true, "clock_condition": true, "preset_condition": true, "retention_condition": true,
	"dont_fault": true, "seq": true, "seq_bank": true, "domain": true, "switching_group": true, "pulling_current": true,
	"reference_time": true, "receiver": true, "soft_error_rate": true, "function": true,
	"model": true, "critical_area_table": true,
	"device_layer": true, "critical_area_lut_template": true, "faults_lut_template": true, "output_voltage_range": true,
	"voltage_state_range_list": true, "vector": true,
}
