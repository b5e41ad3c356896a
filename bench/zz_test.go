package main
import ("testing";"os";"context";"path/filepath";"github.com/wattd/wattd/internal/synth";"github.com/wattd/wattd/internal/workspace")
func BenchmarkWarm(b *testing.B){
 dir:=b.TempDir()
 if err:=writeDesign(dir, synth.New(synth.Params{Gates:100000,Cycles:50,Seed:1}));err!=nil{b.Fatal(err)}
 open:=func(){
  st:=workspace.OpenStore(workspace.StoreOptions{Dir:filepath.Join(os.TempDir(),"wcache")})
  st.Stats(context.Background())
  ws:=workspace.New(nil); ws.SetStore(st)
  b.StartTimer()
  _,_,_,err:=ws.Open(context.Background(),"",workspace.Choice{Over:designConfig(dir)},nil)
  b.StopTimer()
  if err!=nil{b.Fatal(err)}
  st.Close(context.Background())
 }
 b.StopTimer(); open()
 b.ResetTimer()
 for range b.N { b.StopTimer(); open() }
}
