"""onnx-tool: nodes of an ONNX file."""

import onnx_tool

PACKAGE, UNIT = "onnx-tool", "MACs"


def count(subject):
    model = onnx_tool.loadmodel(subject.path, {"verbose": False})
    model.graph.graph_reorder_nodes()
    model.graph.shape_infer(subject.dynamic_inputs())
    model.graph.profile(exclude_ops=onnx_tool.NoMacsOps)
    model.graph.print_node_map(exclude_ops=onnx_tool.NoMacsOps)
    if not model.graph.valid_profile:
        raise RuntimeError("it infers no shapes, so it counts nothing")
    parts = {}
    for node in model.graph.nodemap.values():
        if node.op_type not in onnx_tool.NoMacsOps:
            parts[node.op_type] = parts.get(node.op_type, 0) + node.macs[0]
    return {"macs": round(model.graph.macs[0]), "parameters": model.graph.params, "parts": parts}
