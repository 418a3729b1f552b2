using System.Net;
using System.Text;

var settings = new Dictionary<string, string> { ["region"] = "blue", ["errors"] = "0" };
using var listener = new HttpListener();
listener.Prefixes.Add("http://127.0.0.1:18187/");
listener.Start();
Console.WriteLine("info: Status[0] listening");

while (true)
{
    var context = await listener.GetContextAsync();
    var (code, body) = (200, "ok");
    try
    {
        if (context.Request.Url?.AbsolutePath == "/status") body = settings["zone"];
    }
    catch (Exception problem)
    {
        Console.WriteLine($"fail: Status[1] {problem}");
        (code, body) = (500, "internal");
    }
    context.Response.StatusCode = code;
    context.Response.OutputStream.Write(Encoding.UTF8.GetBytes(body));
    context.Response.Close();
}
