package web

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"github.com/stampede-sim/stampede/strategies"
	"github.com/stampede-sim/stampede/templates"
)

// chart shows what a request becomes, layer by layer, against the share of attempts that fail at the bottom.
func (l *layering) chart(layers strategies.Layers) templates.Chart {
	const steps = 200
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithXAxisOpts(opts.XAxis{Type: "value", Name: "Attempts that fail at the bottom (%)", Min: 0, Max: 100}),
		charts.WithYAxisOpts(opts.YAxis{Type: "log", Name: "Attempts for one request"}),
		charts.WithTooltipOpts(opts.Tooltip{Trigger: "axis", Formatter: "@over share"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	for i := len(layers) - 1; i >= 0; i-- {
		points := make([][2]float64, steps+1)
		for k := range points {
			share := float64(k) / steps
			points[k] = [2]float64{round(100 * share), round(layers.Expected(share)[i])}
		}
		addSeries(line, fmt.Sprintf("layer %d", i+1), points,
			charts.WithLineStyleOpts(opts.LineStyle{Color: colour(i), Width: 2.5, Type: dashes[dash(i)].chart}),
			charts.WithItemStyleOpts(opts.ItemStyle{Color: colour(i)}))
	}
	out := chart("layers", "Attempts for one request", line.JSON())
	out.Wide = true
	out.Note = "On average, of each layer; the last one's are what the bottom is asked for. The scale is logarithmic."
	out.Table = templates.Table{Caption: "Attempts for one request, by the share that fails at the bottom", Head: []string{"Fails at the bottom"}}
	for i := range layers {
		out.Table.Head = append(out.Table.Head, fmt.Sprintf("Layer %d", i+1))
	}
	out.Table.Head = append(out.Table.Head, "The request fails")
	for _, percent := range []float64{0, 1, 10, 25, 50, 75, 90, 99, 100} {
		row := []string{brief(percent) + nbsp + "%"}
		for _, n := range layers.Expected(percent / 100) {
			row = append(row, brief(n))
		}
		out.Table.Rows = append(out.Table.Rows, append(row, chance(layers.Fails(percent/100))))
	}
	return out
}
