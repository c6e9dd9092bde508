"""On which GPU does a training step fit, and how fast is it there?"""
import rooflab
import torch

model = torch.nn.TransformerEncoder(
    torch.nn.TransformerEncoderLayer(d_model=256, nhead=4, batch_first=True), num_layers=4)
predictions = rooflab.predict(model, (8, 128, 256), device=["t4", "a100", "h200"],
                              phase="training", optimizer="adamw")
print(predictions)
for prediction in predictions:
    if prediction.fits:
        print(f"{prediction.device}: {prediction.samples_per_s:.0f} samples/s")
